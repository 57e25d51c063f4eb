// The fast path of `x += y`, `x[i] = y` and their like: see `pullback.engine.mutation.inplace` for
// the general one.
#pragma once

#include "fast_paths/named_operator.h"

namespace pullback {

/// Methods that take a factor, and `__setitem__`.
std::span<const PyMethodDef> writing_methods();

/// `x[index] = value`: a method's function.
PyObject* set_item(PyObject* self, PyObject* const* args, Py_ssize_t count);

/// An in-place operator: its operator, what an error calls it, and the method with the general
/// path.
struct InPlace {
    NamedOperator op;
    const char* what;
    const char* method;

    /// Python's slot: the tensor with its new values. NULL with an error set.
    PyObject* call(PyObject* self, PyObject* other);
    /// `x.add_(other, alpha=1)` and its like.
    PyObject* call_scaled(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names,
                          bool subtracts);

  private:
    bool update(Tensor& target, PyObject* other);
    bool update_scaled(Tensor& target, PyObject* other, PyObject* alpha, bool subtracts);
    /// The operator, where nothing forbids to write to the target's memory right away.
    OperatorInfo* writer(Tensor& target);
    bool record(OperatorInfo& info, Tensor& target, PyObject* other);
};

}  // namespace pullback
