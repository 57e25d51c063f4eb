// Plain values that a formula saves, by the rules that its operator states.
#pragma once

#include "core/operator.h"
#include "core/view_spec.h"

namespace pullback {

/// The value that is saved of a call with one input: an attribute, a fact of the input's shape, or
/// whether an attribute is None; none without a rule. Throws ErrorSet.
PyRef plain_value(const SavedEntry& entry, PyObject* input, const Attributes& attributes);

/// All values of a call with one input, as its Python gives them, None in the place of outputs and
/// of what is not saved; none where one of them has no rule. Throws ErrorSet.
PyRef plain_values(const OperatorInfo& info, PyObject* input, const Attributes& attributes);

}  // namespace pullback
