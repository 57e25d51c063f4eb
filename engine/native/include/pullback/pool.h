// Memory for objects that come and go with every operator, and a vector that starts inside its
// owner.
#pragma once

#include <Python.h>

#include <cstdint>
#include <memory>
#include <new>
#include <utility>

namespace pullback {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kReuseMemory = false;  // what is used after its end is to be seen
#else
inline constexpr bool kReuseMemory = true;
#endif

/// Keeps dead objects of one Python type for the next ones. The GIL guards it.
///
/// An object that waits here is constructed and empty, and still counts its type: a new one needs
/// its count set and no more.
template <typename T, int Capacity = 1 << 16>
class Pool {
  public:
    /// An empty object; NULL with MemoryError set where memory is out.
    T* take(PyTypeObject* type) {
        if (count_ > 0) [[likely]] {
            T* object = kept_[--count_];
            Py_SET_REFCNT(reinterpret_cast<PyObject*>(object), 1);
            return object;
        }
        return fresh(type);
    }

    /// Takes a dead object back: untracked, without weak references, and empty.
    void give(T* dead) {
        if (kReuseMemory && count_ < Capacity) [[likely]] {
            kept_[count_++] = dead;
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

    T* kept_[Capacity];
    int count_ = 0;
};

/// A vector whose first N elements need no allocation.
template <typename T, std::uint32_t N>
class InlineVector {
  public:
    InlineVector() = default;
    InlineVector(const InlineVector&) = delete;
    InlineVector& operator=(const InlineVector&) = delete;
    ~InlineVector() {
        clear();
        if (data_ != inline_data()) ::operator delete(data_);
    }

    template <typename... Args>
    T& emplace_back(Args&&... args) {
        if (size_ == capacity_) [[unlikely]]
            grow();
        return *new (data_ + size_++) T{std::forward<Args>(args)...};
    }

    void clear() {
        while (size_ > 0) std::destroy_at(data_ + --size_);
    }

    std::uint32_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    T& operator[](std::size_t index) { return data_[index]; }
    const T& operator[](std::size_t index) const { return data_[index]; }
    T* begin() { return data_; }
    T* end() { return data_ + size_; }
    const T* begin() const { return data_; }
    const T* end() const { return data_ + size_; }

  private:
    T* inline_data() { return reinterpret_cast<T*>(inline_); }

    void grow() {
        T* larger = static_cast<T*>(::operator new(sizeof(T) * 2 * capacity_));
        std::uninitialized_move(begin(), end(), larger);
        std::destroy(begin(), end());
        if (data_ != inline_data()) ::operator delete(data_);
        data_ = larger;
        capacity_ *= 2;
    }

    T* data_ = inline_data();
    std::uint32_t size_ = 0;
    std::uint32_t capacity_ = N;
    alignas(T) unsigned char inline_[sizeof(T) * N];
};

}  // namespace pullback
