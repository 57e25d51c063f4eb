// Views that attributes describe: new axes, axes dropped, moved and reversed, diagonals.
#pragma once

#include "core/operator.h"
#include "core/tensor.h"

namespace pullback {

/// The view that an operator with these attributes, all of them given, takes of its only input;
/// none where this is not for the fast path. Throws ErrorSet.
Ref<Tensor> axis_view(OperatorInfo& info, PyObject* inputs, PyObject* attributes);

}  // namespace pullback
