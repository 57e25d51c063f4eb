#include "fast_paths/views.h"

#include "base/errors.h"
#include "base/numpy_api.h"
#include "fast_paths/axis_views.h"
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

// Methods of arrays

/// The arguments of `f(1, 2)` and of `f((1, 2))` alike.
PyObject* only_sequence(PyObject* args) {
    if (PyTuple_GET_SIZE(args) != 1) return args;
    PyObject* first = PyTuple_GET_ITEM(args, 0);
    return PyTuple_CheckExact(first) || PyList_CheckExact(first) ? first : args;
}

Ref<Tensor> view_of(NamedOperator& op, PyObject* self, const Attributes& attributes) {
    OperatorInfo* const info = op.info();
    return info == nullptr ? Ref<Tensor>() : axis_view(*info, *Tensor::cast(self), attributes);
}

Ref<Tensor> transposed(PyObject* self, PyObject* axes) {
    static NamedOperator op("transpose");
    return view_of(op, self, {{"axes", axes}});
}

PyObject* transpose(PyObject* self, PyObject* args, PyObject* kwargs) {
    return to_python([&] {
        Ref<Tensor> view;
        if (kwargs == nullptr) {
            view = transposed(self, PyTuple_GET_SIZE(args) == 0 ? Py_None : only_sequence(args));
        }
        return view ? view.release_object() : general("transpose", self, args, kwargs);
    });
}

PyObject* get_T(PyObject* self, void*) {
    return to_python([&]() -> PyObject* {
        Ref<Tensor> view = transposed(self, Py_None);
        return view ? view.release_object() : general("transpose", self, nullptr, nullptr);
    });
}

PyObject* swapaxes(PyObject* self, PyObject* args, PyObject* kwargs) {
    static NamedOperator op("swapaxes");
    return to_python([&] {
        Ref<Tensor> view;
        if (kwargs == nullptr && PyTuple_GET_SIZE(args) == 2) {
            view = view_of(
                op, self,
                {{"axis1", PyTuple_GET_ITEM(args, 0)}, {"axis2", PyTuple_GET_ITEM(args, 1)}});
        }
        return view ? view.release_object() : general("swapaxes", self, args, kwargs);
    });
}

PyObject* reshape(PyObject* self, PyObject* args, PyObject* kwargs) {
    static NamedOperator op("reshape");
    return to_python([&] {
        Ref<Tensor> view;
        if (kwargs == nullptr) view = view_of(op, self, {{"shape", only_sequence(args)}});
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
            Ref<Tensor> view = finish_view(getitem.info(), tensor, spec, {{"index", index}});
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
