#include "pullback/storage.h"

#include <cstdlib>

#include "pullback/numpy_api.h"
#include "pullback/pool.h"

namespace pullback {

PyTypeObject* Storage::type = nullptr;

namespace {

constexpr std::size_t kAlignment = 64;

FreeList<Storage> free_storages;

#ifdef __SANITIZE_ADDRESS__
constexpr bool kReuse = false;  // a block that is used after its end is to be seen
#else
constexpr bool kReuse = true;
#endif

/// Aligned memory; small blocks wait for the next tensor of their size. The GIL guards them.
class Blocks {
  public:
    char* take(std::size_t bytes) {
        const std::size_t units = units_of(bytes);
        if (units <= kSmall && counts_[units - 1] > 0) {
            return kept_[units - 1][--counts_[units - 1]];
        }
        return static_cast<char*>(std::aligned_alloc(kAlignment, units * kAlignment));
    }

    void give(char* block, std::size_t bytes) {
        const std::size_t units = units_of(bytes);
        if (kReuse && units <= kSmall && counts_[units - 1] < kKept) {
            kept_[units - 1][counts_[units - 1]++] = block;
        } else {
            std::free(block);
        }
    }

  private:
    static constexpr std::size_t kSmall = 16;  // units: one KiB
    static constexpr int kKept = 64;

    static std::size_t units_of(std::size_t bytes) {
        return bytes == 0 ? 1 : (bytes + kAlignment - 1) / kAlignment;
    }

    char* kept_[kSmall][kKept];
    int counts_[kSmall] = {};
};

Blocks blocks;

void dealloc(PyObject* object) {
    auto* storage = reinterpret_cast<Storage*>(object);
    if (!storage->owner && storage->begin != nullptr) {
        blocks.give(storage->begin, static_cast<std::size_t>(storage->end - storage->begin));
    }
    free_storages.recycle(storage);
}

/// The array that owns the memory that this one looks at.
PyArrayObject* owner_of(PyObject* array) {
    PyArrayObject* owner = as_array(array);
    while (PyArray_BASE(owner) != nullptr && PyArray_Check(PyArray_BASE(owner))) {
        owner = as_array(PyArray_BASE(owner));
    }
    return owner;
}

Ref<Storage> make_storage() {
    auto storage = Ref<Storage>::steal(free_storages.make(Storage::type));
    if (!storage) throw ErrorSet{};
    return storage;
}

}  // namespace

Ref<Storage> Storage::allocate(std::size_t bytes) {
    Ref<Storage> storage = make_storage();
    storage->begin = blocks.take(bytes);
    if (storage->begin == nullptr) {
        PyErr_NoMemory();
        throw ErrorSet{};
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

void Storage::keep() {
    ++saved;
    if (exports) protect(true);
}

void Storage::release() {
    --saved;
    if (exports && saved == 0) protect(false);
}

void define_storage_type() {
    PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(dealloc)}, {0, nullptr}};
    PyType_Spec spec = {"pullback.engine.native._native.Storage", sizeof(Storage), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
    Storage::type = reinterpret_cast<PyTypeObject*>(checked(PyType_FromSpec(&spec)).release());
}

}  // namespace pullback
