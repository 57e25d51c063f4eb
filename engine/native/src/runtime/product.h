// Matrix products by the BLAS library, cut into pieces for the engine's threads.
#pragma once

#include "pullback/kernel_abi.h"

namespace pullback {

/// Computes the product; false where there is no library.
///
/// The library works on one thread: large products are cut into pieces that the engine's threads
/// share, and how they are cut depends on shapes alone, as then do results.
bool multiply_by_blas(const pb_product& product);

}  // namespace pullback
