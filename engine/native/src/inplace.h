// The short way of `x += y` and its like: see `pullback.engine.inplace` for the general one.
#pragma once

#include "words.h"

namespace pullback {

/// An in-place operator: its word, what an error calls it, and the method with the general way.
struct InPlace {
    Word word;
    const char* what;
    const char* method;

    /// Python's slot: the tensor with its new values. NULL with an error set.
    PyObject* call(PyObject* self, PyObject* other);

  private:
    bool update(Tensor& target, PyObject* other);
    bool record(OperatorInfo& info, Tensor& target, PyObject* other);
};

}  // namespace pullback
