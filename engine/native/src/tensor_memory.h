// Where tensors come from; used by the files of the tensor only.
#pragma once

#include "pullback/tensor.h"

namespace pullback {

/// A tensor with nothing in it yet. Throws ErrorSet.
Ref<Tensor> make_tensor();

}  // namespace pullback
