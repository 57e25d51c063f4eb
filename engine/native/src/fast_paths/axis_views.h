// Views that attributes describe: new axes, axes dropped, moved and reversed, diagonals, other
// lengths, repeated entries.
#pragma once

#include "core/operator.h"
#include "core/tensor.h"
#include "fast_paths/finish_view.h"

namespace pullback {

/// The view that an operator with these attributes, all of them given, takes of its only input;
/// none where this is not for the fast path. Throws ErrorSet.
Ref<Tensor> axis_view(OperatorInfo& info, Tensor& tensor, const Attributes& attributes);

}  // namespace pullback
