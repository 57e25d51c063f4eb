#include "fast_paths/views.h"

#include <string>

#include "base/errors.h"
#include "base/numpy_api.h"
#include "fast_paths/view_spec.h"

namespace pullback {
namespace {

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
    return finish_view(transpose.info(), tensor, spec, [&](const std::string& name) -> PyRef {
        if (name == "axes") return reversed ? PyRef::borrow(Py_None) : tuple_of(axes);
        if (name == "axes_is_none") return PyRef::borrow(reversed ? Py_True : Py_False);
        if (name == "a_ndim") return checked(PyLong_FromLong(tensor.layout.ndim()));
        return {};
    });
}

Ref<Tensor> reversed_axes(Tensor& tensor) {
    std::int64_t axes[ViewSpec::kMost];
    const int ndim = tensor.layout.ndim();
    if (ndim > ViewSpec::kMost) return {};
    for (int axis = 0; axis < ndim; ++axis) axes[axis] = ndim - 1 - axis;
    return transposed(tensor, {axes, static_cast<std::size_t>(ndim)}, true);
}

PyObject* transpose(PyObject* self, PyObject* args, PyObject* kwargs) {
    return to_python([&] {
        Tensor& tensor = *Tensor::cast(self);
        std::int64_t axes[ViewSpec::kMost];
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
        std::int64_t pair[ViewSpec::kMost];
        ViewSpec spec;
        Ref<Tensor> view;
        if (kwargs == nullptr && whole_numbers(args, pair) == 2 && is_usual(tensor) &&
            spec.start(tensor)) {
            std::int64_t axes[ViewSpec::kMost];
            for (int axis = 0; axis < spec.ndim; ++axis) axes[axis] = axis;
            const std::int64_t first = pair[0] < 0 ? pair[0] + spec.ndim : pair[0];
            const std::int64_t second = pair[1] < 0 ? pair[1] + spec.ndim : pair[1];
            const bool there = first >= 0 && first < spec.ndim && second >= 0 && second < spec.ndim;
            if (there) std::swap(axes[first], axes[second]);
            if (there && permute(spec, {axes, static_cast<std::size_t>(spec.ndim)})) {
                view = finish_view(op.info(), tensor, spec, [&](const std::string& name) -> PyRef {
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
        std::int64_t lengths[ViewSpec::kMost];
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
            view = finish_view(op.info(), tensor, spec, [](const std::string&) { return PyRef(); });
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
            Ref<Tensor> view =
                finish_view(getitem.info(), tensor, spec, [&](const std::string& name) {
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
