// Calls of a compiled formula that came before, by what decides their kernels.
#pragma once

#include <Python.h>

#include <memory>
#include <span>
#include <vector>

#include "dispatch/apply.h"

namespace pullback {

/// The kind of a call's input: NumPy's number of its dtype, and how many axes it has.
struct InputKind {
    int dtype = 0;
    int ndim = 0;
    bool operator==(const InputKind&) const = default;
};

/// A keyword of a call. Where it is `fixed`, kernels are made for this value; else for any of its
/// type.
struct RememberedKeyword {
    PyRef name;
    PyRef value;
    bool fixed = true;
};

/// A call of one input each, and the operator that it came to.
class RememberedCall {
  public:
    /// The result of a call like this one; NULL without an error of any other. `names` is a tuple
    /// of keywords, whose values follow `args`, or NULL. Throws ErrorSet.
    PyObject* call(std::span<PyObject* const> args, PyObject* names) const;

    PyRef operator_object;
    PyRef attributes;  // a dict: those that the operator has
    bool by_ranks = false;
    std::vector<InputKind> inputs;
    std::vector<RememberedKeyword> keywords;

  private:
    bool is_like(std::span<PyObject* const> args, PyObject* names) const;
    PyRef attributes_for(PyObject* const* values) const;
};

class RememberedCalls {
  public:
    /// Remembers that a call with these arguments, a tuple, and keywords, a dict, comes to an
    /// operator with these attributes, unless something among them cannot be recognized, or there
    /// are many. Kernels are made for values of `fixed` keywords, a set, and, with `by_ranks`, for
    /// numbers of axes.
    void add(PyObject* operator_object, PyObject* attributes, PyObject* args, PyObject* keywords,
             PyObject* fixed, bool by_ranks);
    /// The result of a call like one of them; NULL without an error of any other. Throws ErrorSet.
    PyObject* call(std::span<PyObject* const> args, PyObject* names) const;

  private:
    std::vector<std::unique_ptr<const RememberedCall>> calls_;
};

}  // namespace pullback
