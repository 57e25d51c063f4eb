// Entries of an array that integers or a mask pick.
#pragma once

#include "core/tensor.h"

namespace pullback {

/// `source[index]` for an array of integers or of bools; none where this is another one, or names
/// what is not there. Throws ErrorSet.
Ref<Tensor> picked(const Tensor& source, PyObject* index);

}  // namespace pullback
