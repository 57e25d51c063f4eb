#include "fast_paths/axis_views.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>

namespace pullback {
namespace {

/// Axes of an array, counted from the first, none of them twice.
struct Axes {
    int count = -1;  // -1: not for the fast path
    std::int64_t axes[ViewSpec::kMost];

    bool has(std::int64_t axis) const {
        return std::find(axes, axes + count, axis) != axes + count;
    }
};

/// The axes that an attribute names.
Axes axes_of(PyObject* value, int ndim) {
    Axes found;
    std::int64_t numbers[ViewSpec::kMost];
    const int count = one_or_more(value, numbers);
    for (int i = 0; i < count; ++i) {
        const std::int64_t axis = numbers[i] < 0 ? numbers[i] + ndim : numbers[i];
        if (axis < 0 || axis >= ndim) return {};
        found.count = i;
        if (found.has(axis)) return {};
        found.axes[i] = axis;
    }
    found.count = count;
    return found;
}

/// One axis, given as a number; -1 for anything else.
std::int64_t axis_of(PyObject* value, int ndim) {
    const bool is_number = value != nullptr && PyLong_CheckExact(value);
    const Axes found = is_number ? axes_of(value, ndim) : Axes{};
    return found.count == 1 ? found.axes[0] : -1;
}

bool expand_dims(ViewSpec& spec, const Attributes& given) {
    const ViewSpec source = spec;
    PyObject* const axis = given["axis"];
    const int more = PyTuple_CheckExact(axis) ? static_cast<int>(PyTuple_GET_SIZE(axis)) : 1;
    const Axes fresh = axes_of(axis, source.ndim + more);
    if (fresh.count < 0 || source.ndim + more > ViewSpec::kMost) return false;
    spec.ndim = 0;
    for (int to = 0, from = 0; to < source.ndim + more; ++to) {
        if (fresh.has(to)) {
            spec.add(1, 0);
        } else {
            spec.add(source.shape[from], source.strides[from]);
            ++from;
        }
    }
    return true;
}

bool squeeze(ViewSpec& spec, const Attributes& given) {
    const ViewSpec source = spec;
    const bool all = given["axis"] == Py_None;
    const Axes dropped = all ? Axes{} : axes_of(given["axis"], source.ndim);
    if (!all && dropped.count < 0) return false;
    spec.ndim = 0;
    for (int axis = 0; axis < source.ndim; ++axis) {
        const bool is_one = source.shape[axis] == 1;
        const bool drop = all ? is_one : dropped.has(axis);
        if (drop && !is_one) return false;
        if (!drop) spec.add(source.shape[axis], source.strides[axis]);
    }
    return true;
}

bool moveaxis(ViewSpec& spec, const Attributes& given) {
    const ViewSpec source = spec;
    const Axes from = axes_of(given["source"], source.ndim);
    const Axes to = axes_of(given["destination"], source.ndim);
    if (from.count < 0 || from.count != to.count) return false;
    for (int axis = 0, rest = 0; axis < source.ndim; ++axis) {
        const auto place = std::find(to.axes, to.axes + to.count, axis) - to.axes;
        if (place == to.count) {
            while (from.has(rest)) ++rest;
        }
        const std::int64_t taken = place == to.count ? rest++ : from.axes[place];
        spec.shape[axis] = source.shape[taken];
        spec.strides[axis] = source.strides[taken];
    }
    return true;
}

bool flip(ViewSpec& spec, const Attributes& given) {
    const bool all = given["axis"] == Py_None;
    const Axes reversed = all ? Axes{} : axes_of(given["axis"], spec.ndim);
    if (!all && reversed.count < 0) return false;
    for (int axis = 0; axis < spec.ndim; ++axis) {
        if (!all && !reversed.has(axis)) continue;
        if (spec.shape[axis] > 0) {
            spec.data += (spec.shape[axis] - 1) * spec.strides[axis] * spec.item;
        }
        spec.strides[axis] = -spec.strides[axis];
    }
    return true;
}

bool diagonal(ViewSpec& spec, const Attributes& given) {
    const ViewSpec source = spec;
    const std::int64_t row = axis_of(given["axis1"], source.ndim);
    const std::int64_t column = axis_of(given["axis2"], source.ndim);
    PyObject* const number = given["offset"];
    if (row < 0 || column < 0 || !PyLong_CheckExact(number)) return false;
    int overflow = 0;
    const std::int64_t offset = PyLong_AsLongLongAndOverflow(number, &overflow);
    if (row == column || overflow != 0) return false;
    const std::int64_t height = source.shape[row], width = source.shape[column];
    if (offset <= -height || offset >= width) return false;  // empty, or no diagonal of it
    const std::int64_t length =
        offset < 0 ? std::min(height + offset, width) : std::min(height, width - offset);
    const std::int64_t skipped =
        offset < 0 ? -offset * source.strides[row] : offset * source.strides[column];
    spec.data += skipped * spec.item;
    spec.ndim = 0;
    for (int axis = 0; axis < source.ndim; ++axis) {
        if (axis != row && axis != column) spec.add(source.shape[axis], source.strides[axis]);
    }
    return spec.add(length, source.strides[row] + source.strides[column]);
}

/// Axis k of the result is one of the source: `order[k]`.
void permute(ViewSpec& spec, const std::int64_t* order) {
    const ViewSpec source = spec;
    for (int axis = 0; axis < source.ndim; ++axis) {
        spec.shape[axis] = source.shape[order[axis]];
        spec.strides[axis] = source.strides[order[axis]];
    }
}

bool transpose(ViewSpec& spec, const Attributes& given) {
    Axes order;
    if (given["axes"] != Py_None) {
        order = axes_of(given["axes"], spec.ndim);
    } else {
        order.count = spec.ndim;
        for (int axis = 0; axis < spec.ndim; ++axis) order.axes[axis] = spec.ndim - 1 - axis;
    }
    if (order.count != spec.ndim) return false;
    permute(spec, order.axes);
    return true;
}

bool swapaxes(ViewSpec& spec, const Attributes& given) {
    const std::int64_t first = axis_of(given["axis1"], spec.ndim);
    const std::int64_t second = axis_of(given["axis2"], spec.ndim);
    if (first < 0 || second < 0) return false;
    std::swap(spec.shape[first], spec.shape[second]);
    std::swap(spec.strides[first], spec.strides[second]);
    return true;
}

/// Lengths for a reshape of so many elements, with one -1 found out; false where they don't fit.
bool complete(std::span<std::int64_t> lengths, std::int64_t size) {
    std::int64_t known = 1;
    std::int64_t* missing = nullptr;
    for (std::int64_t& length : lengths) {
        if (length >= 0) {
            known *= length;
        } else if (length == -1 && missing == nullptr) {
            missing = &length;
        } else {
            return false;
        }
    }
    if (missing == nullptr) return known == size;
    if (known == 0 || size % known != 0) return false;
    *missing = size / known;
    return true;
}

/// Of entries that follow each other in memory.
bool reshape(ViewSpec& spec, const Attributes& given) {
    std::int64_t lengths[ViewSpec::kMost];
    const int count = one_or_more(given["shape"], lengths);
    std::int64_t size = 1;
    for (int axis = spec.ndim - 1; axis >= 0; --axis) {
        if (spec.shape[axis] != 1 && spec.strides[axis] != size) return false;
        size *= spec.shape[axis];
    }
    if (count < 0 || size == 0) return false;
    const std::span<std::int64_t> extents(lengths, static_cast<std::size_t>(count));
    if (!complete(extents, size)) return false;
    spec.ndim = 0;
    for (const std::int64_t length : extents) {
        size /= length;
        spec.add(length, size);
    }
    return true;
}

bool broadcast_to(ViewSpec& spec, const Attributes& given) {
    const ViewSpec source = spec;
    std::int64_t lengths[ViewSpec::kMost];
    const int count = one_or_more(given["shape"], lengths);
    const int more = count - source.ndim;
    if (count < 0 || more < 0) return false;
    spec.ndim = 0;
    for (int axis = 0; axis < count; ++axis) {
        const std::int64_t length = axis < more ? 1 : source.shape[axis - more];
        const bool same = length == lengths[axis];
        if (lengths[axis] < 0 || (!same && length != 1)) return false;
        spec.add(lengths[axis], same && axis >= more ? source.strides[axis - more] : 0);
        spec.repeats = spec.repeats || (!same && lengths[axis] > 1);
    }
    return true;
}

struct AxisView {
    std::string_view name;
    bool (*of)(ViewSpec& spec, const Attributes& given);
};

constexpr std::array kViews = {
    AxisView{"expand_dims", expand_dims},   AxisView{"squeeze", squeeze},
    AxisView{"moveaxis", moveaxis},         AxisView{"flip", flip},
    AxisView{"diagonal", diagonal},         AxisView{"transpose", transpose},
    AxisView{"swapaxes", swapaxes},         AxisView{"reshape", reshape},
    AxisView{"broadcast_to", broadcast_to},
};

}  // namespace

Ref<Tensor> axis_view(OperatorInfo& info, Tensor& tensor, const Attributes& attributes) {
    if (!info.plain_views || info.n_inputs != 1) return {};
    const auto found = std::find_if(kViews.begin(), kViews.end(),
                                    [&](const AxisView& view) { return view.name == info.name; });
    ViewSpec spec;
    if (found == kViews.end() || !is_usual(tensor) || !spec.start(tensor)) return {};
    if (!found->of(spec, attributes)) return {};
    return finish_view(&info, tensor, spec, attributes);
}

}  // namespace pullback
