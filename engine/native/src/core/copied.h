// A tensor's values in memory of their own.
#pragma once

#include "core/tensor.h"

namespace pullback {

/// A leaf with the same values, whose axes lie in memory in their order; where those of the tensor
/// lie in another one without entries between them, in that one. Throws ErrorSet.
Ref<Tensor> copied(Tensor& tensor);

}  // namespace pullback
