#include "fast_paths/views.h"

#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "base/errors.h"
#include "base/numpy_api.h"
#include "base/switches.h"
#include "core/caller.h"
#include "core/grad_mode.h"
#include "dispatch/arguments.h"

namespace pullback {
namespace {

constexpr int kMost = 8;  // axes

/// Shape and strides on the way to a layout; strides count elements.
struct ViewSpec {
    char* data = nullptr;
    std::int64_t item = 0;
    int ndim = 0;
    bool single = false;  // an entry without axes: a copy, as in NumPy
    std::int64_t shape[kMost];
    std::int64_t strides[kMost];

    bool start(const Tensor& tensor) {
        const Layout& layout = tensor.layout;
        if (layout.ndim() > kMost || !layout.regular()) return false;
        data = static_cast<char*>(tensor.data());
        item = static_cast<std::int64_t>(item_size(layout.dtype()));
        ndim = layout.ndim();
        for (int axis = 0; axis < ndim; ++axis) shape[axis] = layout.shape(axis);
        layout.copy_strides(strides);
        return true;
    }
    bool add(std::int64_t length, std::int64_t stride) {
        if (ndim == kMost) return false;
        shape[ndim] = length;
        strides[ndim++] = stride;
        return true;
    }
    Layout layout(DType dtype) const {
        std::int64_t expected = 1;
        bool contiguous = true;
        for (int axis = ndim - 1; axis >= 0; --axis) {
            contiguous = contiguous && (shape[axis] == 1 || strides[axis] == expected);
            expected *= shape[axis];
        }
        return contiguous || expected == 0 ? Layout::c_order(dtype, ndim, shape)
                                           : Layout::strided(dtype, ndim, shape, strides, true);
    }
};

/// True if the fast path is open: nothing watches, and nobody forbids writing.
bool is_usual(Tensor& tensor) {
    if (!switches.takes(FastPath::views)) return false;
    tensor.refresh();
    return !tensor.cached_array || PyArray_ISWRITEABLE(as_array(tensor.cached_array.get()));
}

PyRef shape_of(const Tensor& tensor) { return tuple_of(tensor.layout.extents()); }

/// A plain value that a formula saves, by its name there; none for one that isn't known here.
using Values = std::function<PyRef(const std::string&)>;

/// The node of a view, or of a copy of the entry at `data`; false where the formula saves something
/// else.
bool record(OperatorInfo& info, Tensor& source, Tensor& view, const char* data,
            const Values& values) {
    const Variant& variant = info.variant(Mask{1}, Mask{1});
    std::vector<PyRef> saved;
    for (const std::int32_t read : variant.reads) {
        const SavedEntry& entry = info.saved[static_cast<std::size_t>(read)];
        if (entry.source != SavedSource::plain) return false;
        if (variant.slots[static_cast<std::size_t>(read)] < 0) continue;
        PyRef value = entry.name.starts_with("like_") ? like(source.object())
                      : entry.name == "a_shape"       ? shape_of(source)
                                                      : values(entry.name);
        if (!value) return false;
        saved.push_back(std::move(value));
    }
    Ref<Node> node = Node::make(NodeKind::call);
    node->operator_object = PyRef::borrow(info.object);
    node->info = &info;
    node->recorded = &variant;
    node->edges.emplace_back(edge_of(source));
    node->renumber();
    node->outputs.emplace_back(view.layout, true);
    const auto item = static_cast<std::int64_t>(item_size(source.layout.dtype()));
    if (source.layout.contiguous() && item > 0) {
        node->shows = (data - static_cast<char*>(source.data())) / item;
    }
    remember_caller(*node);
    for (PyRef& value : saved) node->saved.emplace_back(SavedVariable::plain(std::move(value)));
    view.hang_on(node, 0);
    return true;
}

/// The view, or the copy of a single entry, recorded; none where this is not for the fast path.
Ref<Tensor> finish(NamedOperator& op, Tensor& source, const ViewSpec& spec, const Values& values) {
    OperatorInfo* info = op.info();
    if (info == nullptr || !info->plain_views || info->n_inputs != 1 || info->n_hidden != 0) {
        return {};
    }
    const bool recording = grad_enabled();
    const Layout layout = spec.layout(source.layout.dtype());
    Ref<Tensor> made;
    if (spec.single) {
        if (spec.item == 0) return {};
        made = Tensor::allocate(layout, static_cast<std::size_t>(spec.item));
        std::memcpy(made->data(), spec.data, static_cast<std::size_t>(spec.item));
    } else {
        made = Tensor::view_of(source.storage, spec.data, layout);
        made->show_part_of(source, recording ? Made::plain : Made::unrecorded);
    }
    if (recording && source.requires_grad && !record(*info, source, *made, spec.data, values))
        return {};
    return made;
}

PyObject* general(const char* method, PyObject* self, PyObject* args, PyObject* kwargs) {
    static PyObject* methods = nullptr;
    import_once(methods, "pullback.engine.tensor.methods", "TensorMethods");
    const PyRef function = attribute(methods, method);
    const PyRef self_first = checked(PyTuple_Pack(1, self));
    const PyRef all =
        args == nullptr ? self_first : checked(PySequence_Concat(self_first.get(), args));
    return PyObject_Call(function.get(), all.get(), kwargs);
}

// Indexing

/// One part of a basic index that picks or passes an axis; false where it is no such part.
bool pick(ViewSpec& spec, PyObject* part, std::int64_t length, std::int64_t stride) {
    if (PyLong_CheckExact(part)) {
        const Py_ssize_t given = PyLong_AsSsize_t(part);
        if (given == -1 && PyErr_Occurred()) {
            PyErr_Clear();
            return false;
        }
        const std::int64_t position = given < 0 ? given + length : given;
        if (position < 0 || position >= length) return false;
        spec.data += position * stride * spec.item;
        return true;
    }
    if (!PySlice_Check(part)) return false;
    Py_ssize_t start = 0, stop = 0, step = 0;
    if (PySlice_Unpack(part, &start, &stop, &step) < 0) {
        PyErr_Clear();
        return false;
    }
    const Py_ssize_t count = PySlice_AdjustIndices(length, &start, &stop, step);
    if (count > 0) spec.data += start * stride * spec.item;
    return spec.add(count, stride * step);
}

bool apply_index(ViewSpec& spec, std::span<PyObject* const> parts) {
    const ViewSpec source = spec;
    int picking = 0;
    int ellipses = 0;
    for (PyObject* part : parts) {
        picking += part != Py_None && part != Py_Ellipsis;
        ellipses += part == Py_Ellipsis;
    }
    if (ellipses > 1 || picking > source.ndim) return false;
    spec.ndim = 0;
    int axis = 0;
    for (PyObject* part : parts) {
        if (part == Py_None) {
            if (!spec.add(1, 0)) return false;
        } else if (part == Py_Ellipsis) {
            for (int taken = source.ndim - picking; taken > 0; --taken, ++axis) {
                if (!spec.add(source.shape[axis], source.strides[axis])) return false;
            }
        } else {
            if (!pick(spec, part, source.shape[axis], source.strides[axis])) return false;
            ++axis;
        }
    }
    for (; axis < source.ndim; ++axis) {
        if (!spec.add(source.shape[axis], source.strides[axis])) return false;
    }
    spec.single = spec.ndim == 0 && ellipses == 0;
    return true;
}

/// The part of a tensor that an index picks; false where this is not for the fast path. Throws
/// ErrorSet.
bool view_at(Tensor& tensor, PyObject* index, ViewSpec& spec) {
    const bool several = PyTuple_CheckExact(index);
    const std::span<PyObject* const> parts(several ? &PyTuple_GET_ITEM(index, 0) : &index,
                                           several ? std::size_t(PyTuple_GET_SIZE(index)) : 1);
    return is_usual(tensor) && spec.start(tensor) && apply_index(spec, parts);
}

// Other orders of the axes

/// A new order of the axes: a permutation of all of them.
bool permute(ViewSpec& spec, std::span<const std::int64_t> order) {
    const ViewSpec source = spec;
    if (order.size() != static_cast<std::size_t>(source.ndim)) return false;
    unsigned seen = 0;
    for (int axis = 0; axis < source.ndim; ++axis) {
        std::int64_t from = order[static_cast<std::size_t>(axis)];
        if (from < 0) from += source.ndim;
        if (from < 0 || from >= source.ndim || (seen >> from & 1u) != 0) return false;
        seen |= 1u << from;
        spec.shape[axis] = source.shape[from];
        spec.strides[axis] = source.strides[from];
    }
    return true;
}

/// Whole numbers of a tuple or list into `numbers`; their count, or -1 where they are none.
int whole_numbers(PyObject* sequence, std::int64_t* numbers) {
    if (!PyTuple_CheckExact(sequence) && !PyList_CheckExact(sequence)) return -1;
    const Py_ssize_t count = PySequence_Fast_GET_SIZE(sequence);
    if (count > kMost) return -1;
    for (Py_ssize_t i = 0; i < count; ++i) {
        PyObject* item = PySequence_Fast_GET_ITEM(sequence, i);
        if (!PyLong_CheckExact(item)) return -1;
        int overflow = 0;
        numbers[i] = PyLong_AsLongLongAndOverflow(item, &overflow);
        if (overflow != 0) return -1;
    }
    return static_cast<int>(count);
}

/// The arguments of `f(1, 2)` and of `f((1, 2))` alike.
PyObject* only_sequence(PyObject* args) {
    if (PyTuple_GET_SIZE(args) != 1) return args;
    PyObject* first = PyTuple_GET_ITEM(args, 0);
    return PyTuple_CheckExact(first) || PyList_CheckExact(first) ? first : args;
}

Ref<Tensor> transposed(Tensor& tensor, std::span<const std::int64_t> axes, bool reversed) {
    static NamedOperator transpose("transpose");
    ViewSpec spec;
    if (!is_usual(tensor) || !spec.start(tensor) || !permute(spec, axes)) return {};
    return finish(transpose, tensor, spec, [&](const std::string& name) -> PyRef {
        if (name == "axes") return reversed ? PyRef::borrow(Py_None) : tuple_of(axes);
        if (name == "axes_is_none") return PyRef::borrow(reversed ? Py_True : Py_False);
        if (name == "a_ndim") return checked(PyLong_FromLong(tensor.layout.ndim()));
        return {};
    });
}

Ref<Tensor> reversed_axes(Tensor& tensor) {
    std::int64_t axes[kMost];
    const int ndim = tensor.layout.ndim();
    if (ndim > kMost) return {};
    for (int axis = 0; axis < ndim; ++axis) axes[axis] = ndim - 1 - axis;
    return transposed(tensor, {axes, static_cast<std::size_t>(ndim)}, true);
}

PyObject* transpose(PyObject* self, PyObject* args, PyObject* kwargs) {
    return to_python([&] {
        Tensor& tensor = *Tensor::cast(self);
        std::int64_t axes[kMost];
        Ref<Tensor> view;
        if (kwargs == nullptr && PyTuple_GET_SIZE(args) == 0) {
            view = reversed_axes(tensor);
        } else if (kwargs == nullptr) {
            const int count = whole_numbers(only_sequence(args), axes);
            if (count >= 0) view = transposed(tensor, {axes, std::size_t(count)}, false);
        }
        return view ? view.release_object() : general("transpose", self, args, kwargs);
    });
}

PyObject* get_T(PyObject* self, void*) {
    return to_python([&]() -> PyObject* {
        Ref<Tensor> view = reversed_axes(*Tensor::cast(self));
        return view ? view.release_object() : general("transpose", self, nullptr, nullptr);
    });
}

PyObject* swapaxes(PyObject* self, PyObject* args, PyObject* kwargs) {
    static NamedOperator op("swapaxes");
    return to_python([&] {
        Tensor& tensor = *Tensor::cast(self);
        std::int64_t pair[kMost];
        ViewSpec spec;
        Ref<Tensor> view;
        if (kwargs == nullptr && whole_numbers(args, pair) == 2 && is_usual(tensor) &&
            spec.start(tensor)) {
            std::int64_t axes[kMost];
            for (int axis = 0; axis < spec.ndim; ++axis) axes[axis] = axis;
            const std::int64_t first = pair[0] < 0 ? pair[0] + spec.ndim : pair[0];
            const std::int64_t second = pair[1] < 0 ? pair[1] + spec.ndim : pair[1];
            const bool there = first >= 0 && first < spec.ndim && second >= 0 && second < spec.ndim;
            if (there) std::swap(axes[first], axes[second]);
            if (there && permute(spec, {axes, static_cast<std::size_t>(spec.ndim)})) {
                view = finish(op, tensor, spec, [&](const std::string& name) -> PyRef {
                    if (name == "axis1") return PyRef::borrow(PyTuple_GET_ITEM(args, 0));
                    if (name == "axis2") return PyRef::borrow(PyTuple_GET_ITEM(args, 1));
                    return {};
                });
            }
        }
        return view ? view.release_object() : general("swapaxes", self, args, kwargs);
    });
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

PyObject* reshape(PyObject* self, PyObject* args, PyObject* kwargs) {
    static NamedOperator op("reshape");
    return to_python([&] {
        Tensor& tensor = *Tensor::cast(self);
        std::int64_t lengths[kMost];
        ViewSpec spec;
        Ref<Tensor> view;
        const int count = kwargs == nullptr ? whole_numbers(only_sequence(args), lengths) : -1;
        const std::span<std::int64_t> extents(lengths, count < 0 ? 0 : std::size_t(count));
        if (count >= 0 && tensor.layout.contiguous() && tensor.layout.size() > 0 &&
            is_usual(tensor) && spec.start(tensor) && complete(extents, tensor.layout.size())) {
            spec.ndim = 0;
            for (const std::int64_t length : extents) spec.add(length, 0);
            std::int64_t stride = 1;
            for (int axis = spec.ndim - 1; axis >= 0; --axis) {
                spec.strides[axis] = stride;
                stride *= spec.shape[axis];
            }
            view = finish(op, tensor, spec, [](const std::string&) { return PyRef(); });
        }
        return view ? view.release_object() : general("reshape", self, args, kwargs);
    });
}

template <typename F>
PyCFunction with_keywords(F* function) {
    return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

}  // namespace

PyObject* get_item(PyObject* self, PyObject* index) {
    static NamedOperator getitem("getitem");
    return to_python([&]() -> PyObject* {
        Tensor& tensor = *Tensor::cast(self);
        ViewSpec spec;
        if (view_at(tensor, index, spec)) {
            Ref<Tensor> view = finish(getitem, tensor, spec, [&](const std::string& name) {
                return name == "index" ? PyRef::borrow(index) : PyRef();
            });
            if (view) return view.release_object();
        }
        const PyRef args = checked(PyTuple_Pack(1, index));
        return general("__getitem__", self, args.get(), nullptr);
    });
}

Ref<Tensor> part_of(Tensor& tensor, PyObject* index) {
    ViewSpec spec;
    if (!view_at(tensor, index, spec)) return {};
    return Tensor::view_of(tensor.storage, spec.data, spec.layout(tensor.layout.dtype()));
}

std::span<const PyMethodDef> view_methods() {
    static const PyMethodDef methods[] = {
        {"transpose", with_keywords(transpose), METH_VARARGS | METH_KEYWORDS,
         "As the method of arrays: axes one by one, as a tuple, or reversed without any."},
        {"swapaxes", with_keywords(swapaxes), METH_VARARGS | METH_KEYWORDS, "As `np.swapaxes`."},
        {"reshape", with_keywords(reshape), METH_VARARGS | METH_KEYWORDS,
         "As the method of arrays: lengths one by one or as a tuple."},
    };
    return methods;
}

std::span<const PyGetSetDef> view_properties() {
    static const PyGetSetDef properties[] = {
        {"T", get_T, nullptr, "The axes reversed.", nullptr},
    };
    return properties;
}

}  // namespace pullback
