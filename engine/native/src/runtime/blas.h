// Matrix products by a BLAS library that is loaded at run time.
#pragma once

#include <string>
#include <vector>

#include "pullback/kernel_abi.h"

namespace pullback {

/// Files of libraries with cblas.h's functions for 64-bit sizes: OpenBLAS as NumPy's wheels, the
/// package scipy-openblas64 or distributions have it, or MKL. The first that can be used is, from
/// the first product on.
void set_blas_libraries(std::vector<std::string> paths);

/// The file that products go to; empty where there is none. Loads it.
std::string blas_library();

/// Computes the product; false where there is no library.
///
/// The library works on one thread: large products are cut into pieces that the engine's threads
/// share, and how they are cut depends on shapes alone, as then do results.
bool multiply_by_blas(const pb_product& product);

}  // namespace pullback
