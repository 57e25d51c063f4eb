#include "fast_paths/axis_views.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "fast_paths/view_spec.h"

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

/// The axes that an attribute names: a whole number or a tuple of these.
Axes axes_of(PyObject* value, int ndim) {
    Axes found;
    if (!PyLong_CheckExact(value) && !PyTuple_CheckExact(value)) return found;
    const PyRef one = PyLong_CheckExact(value) ? checked(PyTuple_Pack(1, value)) : PyRef();
    std::int64_t numbers[ViewSpec::kMost];
    const int count = whole_numbers(one ? one.get() : value, numbers);
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

/// The values of the attributes of a call.
class Attributes {
  public:
    explicit Attributes(PyObject* dict) : dict_(dict) {}
    /// Borrowed; NULL for a name that is none. Throws ErrorSet.
    PyObject* operator[](const char* name) const {
        const PyRef key = checked(PyUnicode_FromString(name));
        PyObject* value = PyDict_GetItemWithError(dict_, key.get());
        if (value == nullptr && PyErr_Occurred()) throw ErrorSet{};
        return value;
    }

  private:
    PyObject* dict_;
};

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
    const Axes rows = axes_of(given["axis1"], source.ndim);
    const Axes columns = axes_of(given["axis2"], source.ndim);
    PyObject* const number = given["offset"];
    if (rows.count != 1 || columns.count != 1 || !PyLong_CheckExact(number)) return false;
    const std::int64_t row = rows.axes[0], column = columns.axes[0];
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

struct AxisView {
    std::string_view name;
    bool (*of)(ViewSpec& spec, const Attributes& given);
};

constexpr std::array kViews = {
    AxisView{"expand_dims", expand_dims}, AxisView{"squeeze", squeeze},
    AxisView{"moveaxis", moveaxis},       AxisView{"flip", flip},
    AxisView{"diagonal", diagonal},
};

}  // namespace

Ref<Tensor> axis_view(OperatorInfo& info, PyObject* inputs, PyObject* attributes) {
    if (!info.plain_views || info.n_inputs != 1) return {};
    const auto found = std::find_if(kViews.begin(), kViews.end(),
                                    [&](const AxisView& view) { return view.name == info.name; });
    if (found == kViews.end() || !Tensor::check(PyTuple_GET_ITEM(inputs, 0))) return {};
    Tensor& tensor = *Tensor::cast(PyTuple_GET_ITEM(inputs, 0));
    const Attributes given(attributes);
    ViewSpec spec;
    if (!is_usual(tensor) || !spec.start(tensor) || !found->of(spec, given)) return {};
    return finish_view(&info, tensor, spec,
                       [&](const std::string& name) { return PyRef::borrow(given[name.c_str()]); });
}

}  // namespace pullback
