// Calls of generated kernels.
#pragma once

#include "library.h"

namespace pullback::standalone {

/// The forward's kernel on these inputs, cast to the type that NumPy would promote them to. Throws
/// Error for what the kernel refuses.
Tensor run_kernel(const LibraryOperator& op, std::span<const Tensor> inputs);

/// The backward's kernel, where it takes these values: fills a gradient per input that needs one.
/// Nothing is recorded. False where it does not.
bool run_backward_kernel(const Saved& saved, std::span<Tensor> gradients);

/// What tensors promote to; numbers don't count. float64 where there are only numbers.
DLDataType promoted(std::span<const Tensor> tensors);

}  // namespace pullback::standalone
