/* Python's lock, objects, errors, and values as objects. */
#ifndef PULLBACK_TORCH_PYTHON_H_
#define PULLBACK_TORCH_PYTHON_H_

#include <Python.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/python_variable.h>

#include <memory>

#include "values.h"

namespace pullback_torch {

class Gil {
  public:
    Gil() : state_(PyGILState_Ensure()) {}
    ~Gil() { PyGILState_Release(state_); }
    Gil(const Gil&) = delete;
    Gil& operator=(const Gil&) = delete;

  private:
    PyGILState_STATE state_;
};

struct Drop {
    void operator()(PyObject* object) const { Py_XDECREF(object); }
};
using Object = std::unique_ptr<PyObject, Drop>;

/* The object, or the Python error as C++'s. */
inline Object checked(PyObject* object) {
    if (object == nullptr) {
        python_error error;
        error.persist();
        throw error;
    }
    return Object(object);
}

inline Object wrapped(const Tensor& x) {
    if (x.defined()) return checked(THPVariable_Wrap(x));
    return Object(Py_NewRef(Py_None));
}

/* A value that is no array, for Python: a number, or extents with code and bits of the dtype. */
inline Object wrapped(const Value& value) {
    switch (value.kind) {
        case Kind::kTensor:
            return wrapped(value.tensor);
        case Kind::kInteger:
            return checked(PyLong_FromLongLong(value.spec.shape[0]));
        case Kind::kDouble: {
            double number;
            std::memcpy(&number, value.spec.shape, sizeof number);
            return checked(PyFloat_FromDouble(number));
        }
        case Kind::kPlain: {
            Object made = checked(PyTuple_New(value.spec.ndim + 2));
            PyTuple_SET_ITEM(made.get(), 0, PyLong_FromLong(value.spec.dtype.code));
            PyTuple_SET_ITEM(made.get(), 1, PyLong_FromLong(value.spec.dtype.bits));
            for (int32_t axis = 0; axis < value.spec.ndim; ++axis) {
                PyTuple_SET_ITEM(made.get(), axis + 2, PyLong_FromLongLong(value.spec.shape[axis]));
            }
            return made;
        }
        default:
            return Object(Py_NewRef(Py_None));
    }
}

template <class Values>
Object list_of(const Values& values) {
    Object made = checked(PyList_New(static_cast<Py_ssize_t>(values.size())));
    for (size_t k = 0; k < values.size(); ++k) {
        PyList_SET_ITEM(made.get(), static_cast<Py_ssize_t>(k), wrapped(values[k]).release());
    }
    return made;
}

}  // namespace pullback_torch

#endif
