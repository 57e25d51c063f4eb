// Owning references to objects that Python counts.
//
// Tensors, nodes and storages are Python objects with a C++ layout: one
// allocation and one count serve both languages.
#pragma once

#include <Python.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace pullback {

/// Thrown where Python's error indicator is set; whoever returns to Python returns NULL then.
struct ErrorSet {};

/// An owning pointer to a counted object; T is PyObject or begins with PyObject_HEAD.
template <typename T>
class Ref {
  public:
    Ref() = default;
    Ref(std::nullptr_t) {}
    Ref(const Ref& other) : pointer_(other.pointer_) { Py_XINCREF(object()); }
    Ref(Ref&& other) noexcept : pointer_(std::exchange(other.pointer_, nullptr)) {}
    ~Ref() { Py_XDECREF(object()); }

    Ref& operator=(Ref other) noexcept {
        std::swap(pointer_, other.pointer_);
        return *this;
    }

    /// Takes over a reference that the caller owns.
    static Ref steal(T* pointer) {
        Ref ref;
        ref.pointer_ = pointer;
        return ref;
    }
    /// Adds a reference of its own.
    static Ref borrow(T* pointer) {
        Py_XINCREF(reinterpret_cast<PyObject*>(pointer));
        return steal(pointer);
    }

    T* get() const { return pointer_; }
    T* operator->() const { return pointer_; }
    T& operator*() const { return *pointer_; }
    explicit operator bool() const { return pointer_ != nullptr; }
    PyObject* object() const { return reinterpret_cast<PyObject*>(pointer_); }

    /// Takes over a reference that the caller owns, into this empty one.
    void adopt(T* pointer) { pointer_ = pointer; }
    /// Hands the reference over to the caller.
    T* release() { return std::exchange(pointer_, nullptr); }
    PyObject* release_object() { return reinterpret_cast<PyObject*>(release()); }

  private:
    T* pointer_ = nullptr;
};

using PyRef = Ref<PyObject>;

/// A new reference from a C API call, or ErrorSet where that failed.
inline PyRef checked(PyObject* result) {
    if (result == nullptr) throw ErrorSet{};
    return PyRef::steal(result);
}

/// The status of a C API call that returns -1 with an error set.
template <std::signed_integral Status>
Status checked(Status status) {
    if (status < 0) throw ErrorSet{};
    return status;
}

/// A tuple of integers. Throws ErrorSet.
inline PyRef tuple_of(std::span<const std::int64_t> numbers) {
    PyRef tuple = checked(PyTuple_New(static_cast<Py_ssize_t>(numbers.size())));
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i),
                         checked(PyLong_FromLongLong(numbers[i])).release());
    }
    return tuple;
}

inline PyRef attribute(PyObject* object, const char* name) {
    return checked(PyObject_GetAttrString(object, name));
}

/// Runs body and turns ErrorSet into the NULL that Python expects.
template <typename Body>
PyObject* to_python(Body&& body) {
    try {
        return body();
    } catch (const ErrorSet&) {
        return nullptr;
    }
}

}  // namespace pullback
