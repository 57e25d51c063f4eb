// Services of the engine to kernels: memory, threads, and matrix products.
#pragma once

#include "pullback/kernel_abi.h"

namespace pullback {

/// The engine's table of services. Products go to BLAS where there is one, else to `fallback`,
/// which may be NULL.
const pb_runtime* services(const pb_runtime* fallback);

}  // namespace pullback
