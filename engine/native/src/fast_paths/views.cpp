#include "fast_paths/views.h"

#include "base/errors.h"
#include "base/numpy_api.h"
#include "fast_paths/axis_views.h"
#include "fast_paths/finish_view.h"

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

/// The part of a tensor that an index picks; false where this is not for the fast path. Throws
/// ErrorSet.
bool view_at(Tensor& tensor, PyObject* index, ViewSpec& spec) {
    return is_usual(tensor) && spec.start(tensor) && apply_index(spec, index);
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

/// The entries that an array or tensor of integers or bools picks; NULL where it is another one.
/// Somebody may write the array later: its numbers are kept as they are now.
PyObject* entries_at(OperatorInfo* info, PyObject* self, PyObject* index) {
    const bool is_tensor = Tensor::check(index);
    if (info == nullptr || !(is_tensor || PyArray_CheckExact(index))) return nullptr;
    PyArrayObject* const array = as_array(is_tensor ? Tensor::cast(index)->array() : index);
    if (PyArray_TYPE(array) != NPY_INT64 && PyArray_TYPE(array) != NPY_BOOL) return nullptr;
    const PyRef kept = checked(PyArray_NewCopy(array, NPY_CORDER));
    const PyRef attributes = checked(PyDict_New());
    static PyObject* name = checked(PyUnicode_InternFromString("index")).release();
    checked(PyDict_SetItem(attributes.get(), name, kept.get()));
    return apply_bound(*info, checked(PyTuple_Pack(1, self)), attributes.get()).release();
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
        if (PyObject* entries = entries_at(getitem.info(), self, index)) return entries;
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
