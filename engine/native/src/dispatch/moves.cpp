#include "dispatch/moves.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/errors.h"
#include "base/numpy_api.h"
#include "base/switches.h"
#include "base/without_gil.h"
#include "core/view_spec.h"
#include "dispatch/picked.h"
#include "runtime/copy.h"
#include "runtime/each_row.h"

namespace pullback {
namespace {

/// An input: a tensor, or an array as one.
Ref<Tensor> source_of(PyObject* value) {
    if (Tensor::check(value)) return Ref<Tensor>::borrow(Tensor::cast(value));
    if (value == nullptr || !PyArray_CheckExact(value)) return {};
    return Tensor::of_array(PyRef::borrow(value));
}

bool start(ViewSpec& spec, const Ref<Tensor>& source) {
    return source && spec.start(*source) && copies(static_cast<std::size_t>(spec.item));
}

Ref<Tensor> allocate(DType dtype, const ViewSpec& spec) {
    return Tensor::allocate(Layout::c_order(dtype, spec.ndim, spec.shape));
}

/// The entries of one layout to the places of another of the same shape.
void copy(const ViewSpec& from, const ViewSpec& to) {
    const std::span<const std::int64_t> shape(from.shape, static_cast<std::size_t>(from.ndim));
    std::int64_t size = 1;
    for (const std::int64_t length : shape) size *= length;
    if (size == 0) return;
    run_without_gil(size, [&] {
        copy_elements(static_cast<std::size_t>(from.item), shape, from.data, from.strides, to.data,
                      to.strides);
    });
}

/// A stretch of an axis.
ViewSpec stretch(const ViewSpec& spec, int axis, std::int64_t begin, std::int64_t length) {
    ViewSpec part = spec;
    part.data += begin * spec.strides[axis] * spec.item;
    part.shape[axis] = length;
    return part;
}

bool put_axis(ViewSpec& spec, int place, std::int64_t length, std::int64_t stride) {
    if (!spec.add(length, stride)) return false;
    std::rotate(spec.shape + place, spec.shape + spec.ndim - 1, spec.shape + spec.ndim);
    std::rotate(spec.strides + place, spec.strides + spec.ndim - 1, spec.strides + spec.ndim);
    return true;
}

/// All entries along one axis; false where they do not follow each other in memory.
bool flatten(ViewSpec& spec) {
    std::int64_t size = 1;
    for (int axis = spec.ndim - 1; axis >= 0; --axis) {
        if (spec.shape[axis] != 1 && spec.strides[axis] != size) return false;
        size *= spec.shape[axis];
    }
    spec.ndim = 0;
    return spec.add(size, 1);
}

/// An axis counted from the first; -1 where it is none.
int axis_of(PyObject* value, int ndim) {
    if (value == nullptr || !PyLong_CheckExact(value)) return -1;
    int overflow = 0;
    const std::int64_t axis = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (overflow != 0 || axis < -ndim || axis >= ndim) return -1;
    return static_cast<int>(axis < 0 ? axis + ndim : axis);
}

// Arrays joined

struct Parts {
    std::vector<Ref<Tensor>> sources;
    std::vector<ViewSpec> specs;
    DType dtype = 0;
};

/// Arrays of one dtype; false where they are not that.
bool parts_of(PyObject* list, Parts& parts) {
    if (!PyList_Check(list) || PyList_GET_SIZE(list) == 0) return false;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); ++i) {
        const Ref<Tensor>& source = parts.sources.emplace_back(source_of(PyList_GET_ITEM(list, i)));
        if (!start(parts.specs.emplace_back(), source)) return false;
        if (source->layout.dtype() != parts.sources[0]->layout.dtype()) return false;
    }
    parts.dtype = parts.sources[0]->layout.dtype();
    return true;
}

Ref<Tensor> join(const Parts& parts, int axis) {
    ViewSpec whole = parts.specs[0];
    if (axis < 0 || axis >= whole.ndim) return {};
    whole.shape[axis] = 0;
    for (const ViewSpec& part : parts.specs) {
        if (part.ndim != whole.ndim) return {};
        for (int k = 0; k < whole.ndim; ++k) {
            if (k != axis && part.shape[k] != whole.shape[k]) return {};
        }
        whole.shape[axis] += part.shape[axis];
    }
    Ref<Tensor> made = allocate(parts.dtype, whole);
    whole.start(*made);
    std::int64_t begin = 0;
    for (const ViewSpec& part : parts.specs) {
        copy(part, stretch(whole, axis, begin, part.shape[axis]));
        begin += part.shape[axis];
    }
    return made;
}

Ref<Tensor> concatenate(PyObject* list, const Attributes& given) {
    Parts parts;
    if (!parts_of(list, parts)) return {};
    return join(parts, axis_of(given["axis"], parts.specs[0].ndim));
}

Ref<Tensor> stack(PyObject* list, const Attributes& given) {
    Parts parts;
    if (!parts_of(list, parts)) return {};
    const ViewSpec first = parts.specs[0];
    const int axis = axis_of(given["axis"], first.ndim + 1);
    if (axis < 0) return {};
    for (ViewSpec& part : parts.specs) {
        const bool same =
            part.ndim == first.ndim && std::equal(part.shape, part.shape + part.ndim, first.shape);
        if (!same || !put_axis(part, axis, 1, 0)) return {};
    }
    return join(parts, axis);
}

Ref<Tensor> vstack(PyObject* list, const Attributes&) {
    Parts parts;
    if (!parts_of(list, parts)) return {};
    for (ViewSpec& part : parts.specs) {
        while (part.ndim < 2) put_axis(part, 0, 1, 0);
    }
    return join(parts, 0);
}

Ref<Tensor> hstack(PyObject* list, const Attributes&) {
    Parts parts;
    if (!parts_of(list, parts)) return {};
    for (ViewSpec& part : parts.specs) {
        if (part.ndim == 0) part.add(1, 0);
    }
    return join(parts, parts.specs[0].ndim == 1 ? 0 : 1);
}

// Entries round the end, and several times

/// Copies with the axes behind the first `axis` shifted: each in two stretches.
void roll_axes(const ViewSpec& from, const ViewSpec& to, const std::int64_t* shifts, int axis) {
    while (axis < from.ndim && shifts[axis] == 0) ++axis;
    if (axis == from.ndim) return copy(from, to);
    const std::int64_t length = from.shape[axis], shift = shifts[axis];
    roll_axes(stretch(from, axis, 0, length - shift), stretch(to, axis, shift, length - shift),
              shifts, axis + 1);
    roll_axes(stretch(from, axis, length - shift, shift), stretch(to, axis, 0, shift), shifts,
              axis + 1);
}

Ref<Tensor> roll(PyObject* input, const Attributes& given) {
    return rolled(source_of(input), given["shift"], given["axis"], false);
}

Ref<Tensor> repeat(PyObject* input, const Attributes& given) {
    const Ref<Tensor> source = source_of(input);
    ViewSpec from;
    std::int64_t times[ViewSpec::kMost];
    if (!start(from, source)) return {};
    if (given["axis"] == Py_None && !flatten(from)) return {};
    const int axis = given["axis"] == Py_None ? 0 : axis_of(given["axis"], from.ndim);
    if (axis < 0 || one_or_more(given["repeats"], times) != 1 || times[0] < 0) return {};
    ViewSpec whole = from;
    whole.shape[axis] *= times[0];
    Ref<Tensor> made = allocate(source->layout.dtype(), whole);
    ViewSpec to;
    to.start(*made);
    const std::int64_t step = to.strides[axis];
    to.shape[axis] = from.shape[axis];
    to.strides[axis] = step * times[0];
    if (!put_axis(from, axis + 1, times[0], 0) || !put_axis(to, axis + 1, times[0], step))
        return {};
    copy(from, to);
    return made;
}

Ref<Tensor> tile(PyObject* input, const Attributes& given) {
    const Ref<Tensor> source = source_of(input);
    ViewSpec from, whole;
    std::int64_t times[ViewSpec::kMost];
    const int count = one_or_more(given["reps"], times);
    if (!start(from, source) || count < 0) return {};
    while (from.ndim < count) put_axis(from, 0, 1, 0);
    const int more = from.ndim - count;
    for (int axis = 0; axis < from.ndim; ++axis) {
        if (axis >= more && times[axis - more] < 0) return {};
        whole.add(from.shape[axis] * (axis < more ? 1 : times[axis - more]), 0);
    }
    Ref<Tensor> made = allocate(source->layout.dtype(), whole);
    ViewSpec to;
    to.start(*made);
    for (int axis = from.ndim - 1; axis >= 0; --axis) {
        const std::int64_t repeated = axis < more ? 1 : times[axis - more];
        const std::int64_t length = from.shape[axis], step = to.strides[axis];
        to.shape[axis] = length;
        if (repeated == 1) continue;
        if (!put_axis(from, axis, repeated, 0) || !put_axis(to, axis, repeated, step * length))
            return {};
    }
    copy(from, to);
    return made;
}

// Entries among zeros, and picked

/// True if rows without gaps come one behind the other in memory, where they are written.
bool is_box(const ViewSpec& from, const ViewSpec& to) {
    if (to.ndim == 0 || from.strides[to.ndim - 1] != 1 || to.strides[to.ndim - 1] != 1)
        return false;
    for (int axis = 0; axis + 1 < to.ndim; ++axis) {
        if (to.strides[axis] < to.strides[axis + 1] * to.shape[axis + 1]) return false;
    }
    return true;
}

/// The rows to their places, and zeros everywhere else.
void copy_box(const ViewSpec& from, const ViewSpec& to, const Tensor& made) {
    const std::span<const std::int64_t> shape(from.shape, static_cast<std::size_t>(from.ndim));
    run_without_gil(made.layout.size(), [&] {
        char* done = static_cast<char*>(made.data());
        char* const end = done + made.layout.size() * to.item;
        const std::array strides{from.strides, to.strides};
        each_row(shape, strides, [&](const auto& offsets, const auto&, std::int64_t count) {
            char* const row = to.data + offsets[1] * to.item;
            const auto bytes = static_cast<std::size_t>(count * to.item);
            std::memset(done, 0, static_cast<std::size_t>(row - done));
            std::memcpy(row, from.data + offsets[0] * to.item, bytes);
            done = row + bytes;
        });
        std::memset(done, 0, static_cast<std::size_t>(end - done));
    });
}

Ref<Tensor> unslice(PyObject* input, const Attributes& given) {
    const Ref<Tensor> source = source_of(input);
    ViewSpec from, whole, to;
    std::int64_t lengths[ViewSpec::kMost];
    const int count = whole_numbers(given["shape"], lengths);
    if (!start(from, source) || count < 0) return {};
    for (int axis = 0; axis < count; ++axis) whole.add(lengths[axis], 0);
    Ref<Tensor> made = allocate(source->layout.dtype(), whole);
    const bool fits = to.start(*made) && apply_index(to, given["index"]) && to.ndim == from.ndim &&
                      std::equal(from.shape, from.shape + from.ndim, to.shape);
    if (!fits) return {};
    if (is_box(from, to)) {
        copy_box(from, to, *made);
        return made;
    }
    const auto bytes = static_cast<std::size_t>(made->layout.size() * from.item);
    std::memset(made->data(), 0, bytes);
    copy(from, to);
    return made;
}

/// Entries on a diagonal of two axes, from the last axis of the input.
Ref<Tensor> undiagonal(PyObject* input, const Attributes& given) {
    const Ref<Tensor> source = source_of(input);
    ViewSpec from, whole;
    std::int64_t lengths[ViewSpec::kMost], offset = 0;
    const int count = whole_numbers(given["shape"], lengths);
    if (!start(from, source) || count != 2 || from.ndim != 1) return {};
    const int rows = axis_of(given["axis1"], count), columns = axis_of(given["axis2"], count);
    if (rows < 0 || columns < 0 || rows == columns) return {};
    if (one_or_more(given["offset"], &offset) != 1) return {};
    for (int axis = 0; axis < count; ++axis) whole.add(lengths[axis], 0);
    Ref<Tensor> made = allocate(source->layout.dtype(), whole);
    ViewSpec to;
    to.start(*made);
    const std::int64_t row = std::max<std::int64_t>(0, -offset);
    const std::int64_t column = std::max<std::int64_t>(0, offset);
    const std::int64_t length = std::min(to.shape[rows] - row, to.shape[columns] - column);
    if (length <= 0 || length != from.shape[0]) return {};
    std::memset(made->data(), 0, static_cast<std::size_t>(made->layout.size() * to.item));
    ViewSpec diagonal = to;
    diagonal.data += (row * to.strides[rows] + column * to.strides[columns]) * to.item;
    diagonal.ndim = 0;
    diagonal.add(length, to.strides[rows] + to.strides[columns]);
    copy(from, diagonal);
    return made;
}

/// The numbers in another dtype.
Ref<Tensor> astype(PyObject* input, const Attributes& given) {
    PyObject* const dtype = given["dtype"];
    if (!Tensor::check(input) || dtype == nullptr || !PyArray_DescrCheck(dtype)) return {};
    Tensor& source = *Tensor::cast(input);
    auto* const descr = reinterpret_cast<PyArray_Descr*>(dtype);
    const bool is_number = std::string_view("biufc").find(descr->kind) != std::string_view::npos;
    if (!is_number || !PyArray_ISNBO(descr->byteorder) || !source.layout.contiguous()) return {};
    const Layout& layout = source.layout;
    const auto type = static_cast<DType>(descr->type_num);
    Ref<Tensor> made = Tensor::allocate(Layout::c_order(type, layout.ndim(), layout.shape()));
    const bool few = layout.size() <= Layout::kMostInLoop;
    if (few && layout.dtype() == NPY_FLOAT && type == NPY_DOUBLE) {
        const float* const from = static_cast<const float*>(source.data());
        std::copy(from, from + layout.size(), static_cast<double*>(made->data()));
    } else {
        checked(PyArray_CopyInto(as_array(made->array()), as_array(source.array())));
    }
    return made;
}

Ref<Tensor> getitem(PyObject* input, const Attributes& given) {
    const Ref<Tensor> source = source_of(input);
    return source ? picked(*source, given["index"]) : Ref<Tensor>();
}

struct Mover {
    std::string_view name;
    Ref<Tensor> (*move)(PyObject* input, const Attributes& given);
};

constexpr std::array kMovers = {
    Mover{"concatenate", concatenate},
    Mover{"stack", stack},
    Mover{"vstack", vstack},
    Mover{"hstack", hstack},
    Mover{"roll", roll},
    Mover{"repeat", repeat},
    Mover{"tile", tile},
    Mover{"unslice", unslice},
    Mover{"getitem", getitem},
    Mover{"undiagonal", undiagonal},
    Mover{"astype", astype},
};

}  // namespace

Ref<Tensor> rolled(const Ref<Tensor>& source, PyObject* shift, PyObject* axis, bool back) {
    ViewSpec from;
    std::int64_t by[ViewSpec::kMost], axes[ViewSpec::kMost];
    std::int64_t shifts[ViewSpec::kMost] = {};
    if (!start(from, source)) return {};
    const ViewSpec shape = from;
    const int count = one_or_more(shift, by);
    const bool flat = axis == Py_None;
    if (flat && !flatten(from)) return {};
    const int n_axes = flat ? 1 : one_or_more(axis, axes);
    if (flat) axes[0] = 0;
    if (count < 1 || n_axes < 1 || (count != n_axes && count != 1 && n_axes != 1)) return {};
    for (int k = 0; k < std::max(count, n_axes); ++k) {
        std::int64_t along = axes[n_axes == 1 ? 0 : k];
        if (along < 0) along += from.ndim;
        if (along < 0 || along >= from.ndim) return {};
        const std::int64_t length = from.shape[along];
        if (length == 0) return {};
        const std::int64_t places = by[count == 1 ? 0 : k] % length;
        shifts[along] = (shifts[along] + (back ? -places : places) + length) % length;
    }
    Ref<Tensor> made = allocate(source->layout.dtype(), shape);
    ViewSpec to;
    to.start(*made);
    if (flat) flatten(to);
    roll_axes(from, to, shifts, 0);
    return made;
}

Ref<Tensor> moved(const OperatorInfo& info, PyObject* inputs, const Attributes& attributes) {
    if (!info.plain_views || info.n_inputs != 1 || info.n_outputs() != 1) return {};
    if (!switches.has(FastPath::moves)) return {};
    const auto found = std::find_if(kMovers.begin(), kMovers.end(),
                                    [&](const Mover& mover) { return mover.name == info.name; });
    if (found == kMovers.end()) return {};
    return found->move(PyTuple_GET_ITEM(inputs, 0), attributes);
}

}  // namespace pullback
