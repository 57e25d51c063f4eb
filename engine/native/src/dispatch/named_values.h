// Plain values that a formula saves, by the names that they have there.
#pragma once

#include "core/operator.h"
#include "core/view_spec.h"

namespace pullback {

/// The value of this name of a call with one input: an attribute, a fact of the input's shape, or
/// whether an attribute is None; none for a name that isn't known here. Throws ErrorSet.
PyRef named_value(std::string_view name, PyObject* input, const Attributes& attributes);

/// All values of a call with one input, as its Python gives them, None in the place of outputs and
/// of what is not saved; none where one of them isn't known here. Throws ErrorSet.
PyRef named_values(const OperatorInfo& info, PyObject* input, const Attributes& attributes);

}  // namespace pullback
