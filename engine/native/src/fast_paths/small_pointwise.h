// The fast path for small tensors of one shape: a pointwise kernel's loop, called at once.
//
// Where it doesn't take what it is given, the general path (apply.cpp, derivative.cpp) gives the
// same result.
#pragma once

#include <span>

#include "core/arrivals.h"

namespace pullback {

/// Calls an operator, and records it. NULL without an error where this is not for the fast path.
/// Throws ErrorSet.
PyObject* call_small_pointwise(OperatorInfo& info, std::span<PyObject* const> args);

/// target = operator(target, other), into the target's memory; false where this is not for the
/// fast path. Nothing is recorded. Throws ErrorSet.
bool write_small_pointwise(OperatorInfo& info, Tensor& target, PyObject* other);

/// The gradients by the loop of the variant's kernel, in `made`; false where this is not for the
/// fast path. May write over received gradients that nobody else holds. Throws ErrorSet.
bool differentiate_small_pointwise(Node& node, const Variant& variant, Received& received,
                                   std::vector<SentGradient>& made);

}  // namespace pullback
