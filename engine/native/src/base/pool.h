// A free list of Python objects, which come and go with every operator.
#pragma once

#include <Python.h>

#include <cstdint>
#include <memory>
#include <new>
#include <utility>

#include "base/inline_vector.h"

namespace pullback {

/// Dead objects of one Python type, for the next ones. The GIL guards it.
///
/// An object that waits here is constructed and empty, and still counts its type: a new one needs
/// its count set and no more.
template <typename T, int Capacity = 1 << 16>
class Pool {
  public:
    /// An empty object; NULL with MemoryError set where memory is out.
    T* take(PyTypeObject* type) {
        T* object = take_free();
        return object != nullptr ? object : fresh(type);
    }
    /// One that waits here; NULL where there is none.
    T* take_free() {
        if (count_ == 0) [[unlikely]]
            return nullptr;
        T* object = free_[--count_];
        Py_SET_REFCNT(reinterpret_cast<PyObject*>(object), 1);
        return object;
    }

    /// Takes a dead object back: untracked, without weak references, and empty.
    void give(T* dead) {
        if (kReuseMemory && count_ < Capacity) [[likely]] {
            free_[count_++] = dead;
            return;
        }
        PyObject* object = reinterpret_cast<PyObject*>(dead);
        PyTypeObject* type = Py_TYPE(object);
        std::destroy_at(dead);
        if (PyType_HasFeature(type, Py_TPFLAGS_HAVE_GC)) {
            PyObject_GC_Del(object);
        } else {
            PyObject_Free(object);
        }
        Py_DECREF(type);
    }

  private:
    static T* fresh(PyTypeObject* type) {
        const bool collected = PyType_HasFeature(type, Py_TPFLAGS_HAVE_GC);
        void* memory = collected ? static_cast<void*>(PyObject_GC_New(T, type))
                                 : static_cast<void*>(PyObject_New(T, type));
        if (memory == nullptr) return nullptr;
        T* object = new (memory) T;
        Py_DECREF(type);  // PyObject_Init counts it again
        PyObject_Init(reinterpret_cast<PyObject*>(object), type);
        return object;
    }

    T* free_[Capacity];
    int count_ = 0;
};

}  // namespace pullback
