// Calls of operators: run on arrays, results wrapped, a node recorded (record_call.h).
#pragma once

#include <span>

#include "core/operator.h"

namespace pullback {

/// Calls a Python operator with tensors among its arguments, and records it.
/// args is a sequence, kwargs a mapping. Throws ErrorSet.
PyRef apply(PyObject* operator_object, PyObject* args, PyObject* kwargs);
/// The same for arguments as a vectorcall has them, see `bind_in_order`; none where Python must
/// sort them, or no tensor is among them. Throws ErrorSet.
PyRef apply_in_order(OperatorInfo& info, std::span<PyObject* const> args, PyObject* names,
                     std::span<const PyRef> positions);
/// Calls the form of an operator for these attributes; NULL where the call must go the general
/// path. Throws ErrorSet.
PyObject* call_form(OperatorInfo& info, std::span<PyObject* const> args,
                    std::span<PyObject* const> keywords, PyObject* const* given);
/// Calls a compiled operator on a tuple of arrays and numbers, and a dict with all attributes:
/// arrays and NumPy's scalars, by the kernel where it takes them. Throws ErrorSet.
PyRef result_on_arrays(PyObject* operator_object, PyObject* inputs, PyObject* attributes);

}  // namespace pullback
