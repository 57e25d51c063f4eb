// Calls of operators: run on arrays, results wrapped, a node recorded (record_call.h).
#pragma once

#include <span>

#include "core/operator.h"

namespace pullback {

/// Calls a Python operator with tensors among its arguments, and records it.
/// args is a sequence, kwargs a mapping. Throws ErrorSet.
PyRef apply(PyObject* operator_object, PyObject* args, PyObject* kwargs);
/// The same for a tuple of inputs and a dict with all attributes.
PyRef apply_bound(OperatorInfo& info, const PyRef& inputs, PyObject* attributes);
/// Calls the form of an operator for these attributes; NULL where the call must go the general
/// path. Throws ErrorSet.
PyObject* call_form(OperatorInfo& info, std::span<PyObject* const> args,
                    std::span<PyObject* const> keywords, PyObject* const* given);
/// Calls the observer of a call whose result a form gave.
void observe_form(const OperatorInfo& info, const PyRef& inputs, PyObject* attributes,
                  const PyRef& result);
/// Calls a compiled operator on a tuple of arrays and numbers, and a dict with all attributes:
/// arrays and NumPy's scalars, by the kernel where it takes them. Throws ErrorSet.
PyRef result_on_arrays(PyObject* operator_object, PyObject* inputs, PyObject* attributes);

}  // namespace pullback
