#include "core/storage.h"

#include "base/allocator.h"
#include "base/errors.h"
#include "base/numpy_api.h"
#include "core/caller.h"
#include "core/grad_mode.h"

namespace pullback {

PyTypeObject* Storage::type = nullptr;
Pool<Storage> Storage::pool;

namespace {

void dealloc(PyObject* object) {
    auto* storage = reinterpret_cast<Storage*>(object);
    if (storage->begin != storage->small) {
        if (storage->owner) {
            storage->owner = nullptr;
        } else if (storage->begin != nullptr) {
            give_block(storage->begin, static_cast<std::size_t>(storage->end - storage->begin));
        }
        storage->begin = storage->end = nullptr;
    }
    if (storage->version != 0) {
        storage->version = 0;
        storage->written_at = 0;
        storage->written = nullptr;
    }
    if (storage->exports) storage->exports = nullptr;
    storage->inference = false;
    Storage::pool.give(storage);
}

/// The array that owns the memory that this one is a view of.
PyArrayObject* owner_of(PyObject* array) {
    PyArrayObject* owner = as_array(array);
    while (PyArray_BASE(owner) != nullptr && PyArray_Check(PyArray_BASE(owner))) {
        owner = as_array(PyArray_BASE(owner));
    }
    return owner;
}

Ref<Storage> make_storage() {
    auto storage = Ref<Storage>::steal(Storage::pool.take(Storage::type));
    if (!storage) throw ErrorSet{};
    if (switches.inference) storage->find_mode();
    return storage;
}

}  // namespace

void Storage::find_mode() { inference = in_inference_mode(); }

Ref<Storage> Storage::allocate_block(std::size_t bytes) {
    Ref<Storage> storage = make_storage();
    storage->begin = take_block(bytes);
    if (storage->begin == nullptr) {
        const MemoryStats stats = memory_stats();
        if (stats.limit == 0) {
            PyErr_NoMemory();
            throw ErrorSet{};
        }
        raise(PyExc_MemoryError,
              std::to_string(bytes) + " bytes more than the " + std::to_string(stats.in_use) +
                  " in use are too many for the limit of " + std::to_string(stats.limit) +
                  " (pb.memory.set_limit), or for this machine");
    }
    storage->end = storage->begin + bytes;
    return storage;
}

Ref<Storage> Storage::of_array(PyObject* array) {
    Ref<Storage> storage = make_storage();
    PyArrayObject* owner = owner_of(array);
    storage->owner = PyRef::borrow(array);
    storage->begin = storage->end = PyArray_BYTES(owner);
    if (PyArray_SIZE(owner) > 0) {
        for (int axis = 0; axis < PyArray_NDIM(owner); ++axis) {
            const npy_intp reach = PyArray_STRIDE(owner, axis) * (PyArray_DIM(owner, axis) - 1);
            (reach < 0 ? storage->begin : storage->end) += reach;
        }
        storage->end += PyArray_ITEMSIZE(owner);
    }
    return storage;
}

void Storage::count_write(const char* what) {
    if (inference) return;
    count_version();
    Caller caller = find_caller();
    written = std::move(caller.code);
    written_instruction = caller.instruction;
    written_by = what;
}

std::string Storage::last_write() const {
    if (!written) return "an unknown place";
    if (PyUnicode_Check(written.get())) return text_of(written.get());
    return place_of(written.get(), written_instruction) + " by " + written_by;
}

PyRef Storage::export_view(PyObject* array) {
    PyRef view = checked(PyArray_View(as_array(array), nullptr, nullptr));
    if (!PyArray_ISWRITEABLE(as_array(array))) return view;
    if (saved > 0) PyArray_CLEARFLAGS(as_array(view.get()), NPY_ARRAY_WRITEABLE);
    const PyRef alive = checked(PyList_New(0));
    const Py_ssize_t known = exports ? PyList_GET_SIZE(exports.get()) : 0;
    for (Py_ssize_t i = 0; i < known; ++i) {
        PyObject* weak = PyList_GET_ITEM(exports.get(), i);
        if (PyWeakref_GetObject(weak) != Py_None) checked(PyList_Append(alive.get(), weak));
    }
    checked(PyList_Append(alive.get(), checked(PyWeakref_NewRef(view.get(), nullptr)).get()));
    exports = alive;
    return view;
}

void Storage::protect(bool read_only) {
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(exports.get()); ++i) {
        PyObject* view = PyWeakref_GetObject(PyList_GET_ITEM(exports.get(), i));
        if (view == Py_None) continue;
        if (read_only) {
            PyArray_CLEARFLAGS(as_array(view), NPY_ARRAY_WRITEABLE);
        } else {
            PyArray_ENABLEFLAGS(as_array(view), NPY_ARRAY_WRITEABLE);
        }
    }
}

void define_storage_type() {
    PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(dealloc)}, {0, nullptr}};
    PyType_Spec spec = {"pullback.engine.native._native.Storage", sizeof(Storage), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
    Storage::type = reinterpret_cast<PyTypeObject*>(checked(PyType_FromSpec(&spec)).release());
}

}  // namespace pullback
