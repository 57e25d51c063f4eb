#include "python/tensor_internals.h"

#include "base/errors.h"
#include "core/caller.h"
#include "core/tensor.h"

namespace pullback {
namespace {

PyObject* get_array(PyObject* self, void*) {
    return to_python([&] { return Py_NewRef(Tensor::cast(self)->array()); });
}

PyObject* get_version(PyObject* self, void*) {
    return PyLong_FromUnsignedLong(Tensor::cast(self)->storage->version);
}

PyObject* get_written_at(PyObject* self, void*) {
    return PyLong_FromUnsignedLongLong(Tensor::cast(self)->storage->written_at);
}

PyObject* get_written(PyObject* self, void*) {
    return to_python([&] {
        return checked(PyUnicode_FromString(Tensor::cast(self)->storage->last_write().c_str()))
            .release();
    });
}

PyObject* get_storage(PyObject* self, void*) {
    return Ref<Storage>(Tensor::cast(self)->storage).release_object();
}

PyObject* get_base(PyObject* self, void*) {
    PyObject* const base = Tensor::cast(self)->base.object();
    return Py_NewRef(base == nullptr ? Py_None : base);
}

PyObject* get_made(PyObject* self, void*) {
    switch (Tensor::cast(self)->made) {
        case Made::plain:
            return PyUnicode_InternFromString("plain");
        case Made::unrecorded:
            return PyUnicode_InternFromString("unrecorded");
        case Made::formula:
            return PyUnicode_InternFromString("formula");
        case Made::leaf:
            return PyUnicode_InternFromString("leaf");
        case Made::none:
            break;
    }
    return Py_NewRef(Py_None);
}

PyObject* bump_version(PyObject* self, PyObject* args) {
    const char* what = "a write";
    if (!PyArg_ParseTuple(args, "|s", &what)) return nullptr;
    return to_python([&] {
        Storage& storage = *Tensor::cast(self)->storage;
        if (storage.inference) return Py_NewRef(Py_None);
        storage.count_version();
        const Caller caller = find_caller();
        const std::string place =
            caller.code ? place_of(caller.code.get(), caller.instruction) : "an unknown place";
        storage.written = checked(PyUnicode_FromFormat("%s by %s", place.c_str(), what));
        return Py_NewRef(Py_None);
    });
}

PyObject* exported(PyObject* self, PyObject*) {
    return to_python([&] {
        Tensor* tensor = Tensor::cast(self);
        return tensor->storage->export_view(tensor->array()).release();
    });
}

PyObject* rebase(PyObject* self, PyObject* result) {
    if (!Tensor::check(result)) {
        PyErr_Format(PyExc_TypeError, "_rebase takes a tensor of the native engine, not %s",
                     Py_TYPE(result)->tp_name);
        return nullptr;
    }
    return to_python([&] {
        Tensor::cast(self)->rebase(*Tensor::cast(result));
        return Py_NewRef(Py_None);
    });
}

constexpr PyMethodDef kMethods[] = {
    {"_bump_version", bump_version, METH_VARARGS, "Count a write, and remember what it was."},
    {"_rebase", rebase, METH_O, "Take over the history of a result written into this memory."},
    {"_exported", exported, METH_NOARGS, "The array to hand out: read-only while it is saved."},
};

constexpr PyGetSetDef kProperties[] = {
    {"_array", get_array, nullptr, "The NumPy array underneath; read only by convention.", nullptr},
    {"_version", get_version, nullptr, "How often the memory was written.", nullptr},
    {"_written_at", get_written_at, nullptr,
     "The time of the last write, counted in writes; 0 before the first.", nullptr},
    {"_written", get_written, nullptr, "Where the last write was, and what it was.", nullptr},
    {"_storage", get_storage, nullptr, "One object for all tensors that share memory.", nullptr},
    {"_base", get_base, nullptr, "What a view shows a part of; None for no view.", nullptr},
    {"_made", get_made, nullptr, "How a view was made; None for no view.", nullptr},
};

}  // namespace

std::span<const PyMethodDef> internal_methods() { return kMethods; }

std::span<const PyGetSetDef> internal_properties() { return kProperties; }

}  // namespace pullback
