// The tensor as Python sees it; what it shares with NumPy it inherits from
// `pullback.engine.tensor.methods`.
#include <Python.h>
#include <structmember.h>

#include <cstddef>
#include <vector>

#include "base/errors.h"
#include "base/numpy_api.h"
#include "core/node.h"
#include "core/tensor.h"
#include "fast_paths/inplace.h"
#include "fast_paths/named_operator.h"
#include "fast_paths/views.h"
#include "python/numpy_protocol.h"
#include "python/tensor_internals.h"

namespace pullback {

PyTypeObject* Tensor::type = nullptr;
Pool<Tensor> Tensor::pool;
Pool<Tensor> Tensor::small_pool;

namespace {

/// Lets go what few tensors have.
void clear_rare(Tensor* tensor) {
    if (tensor->weak_references != nullptr) {
        PyObject_ClearWeakRefs(tensor->object());
        tensor->weak_references = nullptr;
    }
    tensor->base = nullptr;
    tensor->grad = nullptr;
    tensor->extras.reset();
    tensor->cached_array = nullptr;
}

void dealloc(PyObject* object) {
    Tensor* tensor = Tensor::cast(object);
    if (tensor->tracked) untrack(object);
    if (tensor->has_rare()) [[unlikely]]
        clear_rare(tensor);
    tensor->layout.clear();
    if (PyObject* node = tensor->grad_fn.release_object()) Py_DECREF(node);
    tensor->requires_grad = tensor->tracked = false;
    tensor->made = Made::none;
    tensor->writes = 0;
    if (kReuseMemory && tensor->storage && tensor->storage->as_new()) [[likely]] {
        Tensor::small_pool.give(tensor);
        return;
    }
    tensor->storage = nullptr;
    Tensor::pool.give(tensor);
}

int traverse(PyObject* object, visitproc visit, void* arg) {
    Tensor* tensor = Tensor::cast(object);
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(tensor->grad.object());
    Py_VISIT(tensor->grad_fn.object());
    Py_VISIT(tensor->base.object());
    if (tensor->extras) {
        Py_VISIT(tensor->extras->hooks.get());
        Py_VISIT(tensor->extras->after_hooks.get());
    }
    return 0;
}

int clear(PyObject* object) {
    Tensor* tensor = Tensor::cast(object);
    tensor->grad = nullptr;
    tensor->grad_fn = nullptr;
    tensor->base = nullptr;
    if (tensor->extras) tensor->extras->hooks = tensor->extras->after_hooks = nullptr;
    return 0;
}

PyObject* new_or_none(PyObject* object) { return Py_NewRef(object == nullptr ? Py_None : object); }

PyObject* get_shape(PyObject* self, void*) {
    const Layout& layout = Tensor::cast(self)->layout;
    PyObject* shape = PyTuple_New(layout.ndim());
    for (int axis = 0; shape != nullptr && axis < layout.ndim(); ++axis) {
        PyObject* length = PyLong_FromLongLong(layout.shape(axis));
        if (length == nullptr)
            Py_CLEAR(shape);
        else
            PyTuple_SET_ITEM(shape, axis, length);
    }
    return shape;
}

PyObject* get_dtype(PyObject* self, void*) {
    Tensor* tensor = Tensor::cast(self);
    if (tensor->cached_array) {
        PyArray_Descr* descr = PyArray_DESCR(as_array(tensor->cached_array.get()));
        return Py_NewRef(reinterpret_cast<PyObject*>(descr));
    }
    return reinterpret_cast<PyObject*>(PyArray_DescrFromType(tensor->layout.dtype()));
}

PyObject* get_ndim(PyObject* self, void*) {
    return PyLong_FromLong(Tensor::cast(self)->layout.ndim());
}

PyObject* get_size(PyObject* self, void*) {
    return PyLong_FromLongLong(Tensor::cast(self)->layout.size());
}

PyObject* get_requires_grad(PyObject* self, void*) {
    return to_python([&] {
        Tensor::cast(self)->refresh();
        return PyBool_FromLong(Tensor::cast(self)->requires_grad);
    });
}

int set_requires_grad(PyObject* self, PyObject* value, void*) {
    if (value == nullptr) {
        PyErr_SetString(PyExc_AttributeError, "requires_grad can't be deleted");
        return -1;
    }
    const int flag = PyObject_IsTrue(value);
    if (flag == -1) return -1;
    const PyRef done = PyRef::steal(to_python([&] {
        Tensor::cast(self)->set_requires_grad(flag != 0);
        return Py_NewRef(Py_None);
    }));
    return done ? 0 : -1;
}

PyObject* get_is_leaf(PyObject* self, void*) {
    return to_python([&] {
        Tensor::cast(self)->refresh();
        return PyBool_FromLong(Tensor::cast(self)->is_leaf());
    });
}

PyObject* get_output_nr(PyObject* self, void*) {
    return PyLong_FromLong(Tensor::cast(self)->output_number);
}

PyObject* get_grad_fn(PyObject* self, void*) {
    return to_python([&] {
        Tensor::cast(self)->refresh();
        return new_or_none(Tensor::cast(self)->grad_fn.object());
    });
}

PyObject* get_grad(PyObject* self, void*) { return new_or_none(Tensor::cast(self)->grad.object()); }

int set_grad(PyObject* self, PyObject* value, void*) {
    Tensor* tensor = Tensor::cast(self);
    if (value == nullptr || value == Py_None) {
        tensor->grad = nullptr;
        return 0;
    }
    if (!Tensor::check(value) || !Tensor::cast(value)->layout.same_shape(tensor->layout) ||
        Tensor::cast(value)->layout.dtype() != tensor->layout.dtype()) {
        const PyRef shape = PyRef::steal(get_shape(self, nullptr));
        const PyRef dtype = PyRef::steal(get_dtype(self, nullptr));
        if (shape && dtype) {
            PyErr_Format(
                PyExc_TypeError,
                "grad must be None or a tensor of the same engine, of shape %S and dtype %S",
                shape.get(), dtype.get());
        }
        return -1;
    }
    if (value == self) {
        PyErr_SetString(PyExc_TypeError, "a tensor can't be its own grad; x.copy() is another one");
        return -1;
    }
    tensor->grad = Ref<Tensor>::borrow(Tensor::cast(value));
    return 0;
}

PyObject* get_name(PyObject* self, void*) {
    const Tensor* tensor = Tensor::cast(self);
    return new_or_none(tensor->extras ? tensor->extras->name.get() : nullptr);
}

int set_name(PyObject* self, PyObject* value, void*) {
    if (value != nullptr && value != Py_None && !PyUnicode_Check(value)) {
        PyErr_Format(PyExc_TypeError, "name must be a str or None, not %s",
                     Py_TYPE(value)->tp_name);
        return -1;
    }
    Tensor::cast(self)->more().name = value == Py_None ? PyRef() : PyRef::borrow(value);
    return 0;
}

PyObject* requires_grad_(PyObject* self, PyObject* args, PyObject* kwargs) {
    static const char* names[] = {"requires_grad", nullptr};
    int flag = 1;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|p", const_cast<char**>(names), &flag)) {
        return nullptr;
    }
    return to_python([&] {
        Tensor::cast(self)->set_requires_grad(flag != 0);
        return Py_NewRef(self);
    });
}

PyObject* detach(PyObject* self, PyObject*) {
    return to_python([&] { return Tensor::cast(self)->detach().release_object(); });
}

PyObject* register_hook(PyObject* self, PyObject* hook) {
    return to_python([&] {
        Tensor* tensor = Tensor::cast(self);
        tensor->refresh();
        if (!tensor->requires_grad) {
            raise("NotDifferentiableError",
                  "a hook needs a tensor that requires grad: no gradient reaches this one");
        }
        PyRef& hooks = tensor->grad_fn ? tensor->grad_fn->more().hooks[tensor->output_number]
                                       : tensor->more().hooks;
        if (!hooks) hooks = checked(PyDict_New());
        const PyRef handle = import_from("pullback.engine.core.hooks", "HookHandle");
        return PyObject_CallFunctionObjArgs(handle.get(), hooks.get(), hook, nullptr);
    });
}

PyObject* register_after_hook(PyObject* self, PyObject* hook) {
    return to_python([&] {
        Tensor* tensor = Tensor::cast(self);
        if (tensor->grad_fn || !tensor->requires_grad) {
            raise("NotDifferentiableError",
                  "a hook after accumulation needs a leaf that requires grad: only there gradients "
                  "are accumulated; register_hook works on any tensor that requires grad");
        }
        PyRef& hooks = tensor->more().after_hooks;
        if (!hooks) hooks = checked(PyDict_New());
        const PyRef handle = import_from("pullback.engine.core.hooks", "HookHandle");
        return PyObject_CallFunctionObjArgs(handle.get(), hooks.get(), hook, nullptr);
    });
}

PyObject* is_inference(PyObject* self, PyObject*) {
    return PyBool_FromLong(Tensor::cast(self)->storage->inference);
}

PyObject* retain_grad(PyObject* self, PyObject*) {
    return to_python([&] {
        Tensor* tensor = Tensor::cast(self);
        tensor->refresh();
        if (!tensor->requires_grad) {
            raise("NotDifferentiableError", "retain_grad needs a tensor that requires grad");
        }
        if (tensor->grad_fn) {
            tensor->grad_fn->more().retained[tensor->output_number] =
                checked(PyWeakref_NewRef(self, nullptr));
        }
        return Py_NewRef(Py_None);
    });
}

PyGetSetDef properties[] = {
    {"shape", get_shape, nullptr, "Lengths of the axes.", nullptr},
    {"dtype", get_dtype, nullptr, "NumPy's type of an element.", nullptr},
    {"ndim", get_ndim, nullptr, "Number of axes.", nullptr},
    {"size", get_size, nullptr, "Number of elements.", nullptr},
    {"requires_grad", get_requires_grad, set_requires_grad,
     "Whether operators on this are recorded.", nullptr},
    {"is_leaf", get_is_leaf, nullptr, "Whether no operator made this.", nullptr},
    {"grad_fn", get_grad_fn, nullptr, "The node that made this, or None.", nullptr},
    {"output_nr", get_output_nr, nullptr, "Which output of grad_fn it is; 0 for a leaf.", nullptr},
    {"grad", get_grad, set_grad, "The accumulated gradient, or None.", nullptr},
    {"name", get_name, set_name, "A name for the printed tape, or None.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyMethodDef methods[] = {
    {"requires_grad_", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(requires_grad_)),
     METH_VARARGS | METH_KEYWORDS,
     "Record operators on this leaf, or stop to; returns the tensor."},
    {"detach", detach, METH_NOARGS, "The same memory without history."},
    {"register_hook", register_hook, METH_O,
     "Call hook(grad) on the summed gradient; what it returns, unless None, replaces it."},
    {"register_post_accumulate_grad_hook", register_after_hook, METH_O,
     "Call hook(tensor) of a leaf each time after a backward has added to its grad."},
    {"is_inference", is_inference, METH_NOARGS, "Whether its memory was made in inference mode."},
    {"retain_grad", retain_grad, METH_NOARGS,
     "Retain the gradient in `grad` though this is no leaf."},
    {nullptr, nullptr, 0, nullptr},
};

PyMemberDef members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Tensor, weak_references), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

}  // namespace

void define_tensor_type() {
    // Python keeps pointers into these.
    static std::vector<PyMethodDef> all_methods(std::begin(methods), std::end(methods) - 1);
    for (const PyMethodDef& method : internal_methods()) all_methods.push_back(method);
    for (const PyMethodDef& method : view_methods()) all_methods.push_back(method);
    for (const PyMethodDef& method : writing_methods()) all_methods.push_back(method);
    for (const PyMethodDef& method : protocol_methods()) all_methods.push_back(method);
    all_methods.push_back({nullptr, nullptr, 0, nullptr});
    static std::vector<PyGetSetDef> all_properties(std::begin(properties),
                                                   std::end(properties) - 1);
    for (const PyGetSetDef& property : internal_properties()) all_properties.push_back(property);
    for (const PyGetSetDef& property : view_properties()) all_properties.push_back(property);
    all_properties.push_back({nullptr, nullptr, nullptr, nullptr, nullptr});
    std::vector<PyType_Slot> slots = {
        {Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
        {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
        {Py_tp_clear, reinterpret_cast<void*>(clear)},
        {Py_tp_getset, all_properties.data()},
        {Py_tp_methods, all_methods.data()},
        {Py_mp_subscript, reinterpret_cast<void*>(get_item)},
        {Py_tp_members, members},
    };
    for (const PyType_Slot& slot : number_slots()) slots.push_back(slot);
    slots.push_back({0, nullptr});
    PyType_Spec spec = {"pullback.engine.native.Tensor", sizeof(Tensor), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                        slots.data()};
    const PyRef base = import_from("pullback.engine.tensor.methods", "TensorMethods");
    Tensor::type = reinterpret_cast<PyTypeObject*>(
        checked(PyType_FromSpecWithBases(&spec, base.get())).release());
}

}  // namespace pullback
