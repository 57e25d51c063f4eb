// What kernels ask of the engine: memory, threads, and matrix products.
#pragma once

#include <string>

#include "pullback/kernel_abi.h"

namespace pullback {

/// The engine's table of services. Products go to BLAS where there is one, else to `fallback`,
/// which may be NULL.
const pb_runtime* services(const pb_runtime* fallback);

/// The file of an OpenBLAS with 64-bit sizes, as the package scipy-openblas64 has it. It is loaded
/// when the first product comes.
void set_blas_library(std::string path);
/// Whether products go to that library; loads it.
bool has_blas();
/// So many threads for it, if it is loaded.
void set_blas_threads(int count);

}  // namespace pullback
