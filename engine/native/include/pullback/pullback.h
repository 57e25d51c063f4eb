// Operators that are written in C++, for Python: a library of them is loaded by `pb.load_operator`.
//
// define_operator.h makes one; operators.h has those to write it with, under NumPy's names. What
// fails throws pullback::Error. `pullback config --operator-flags` prints what such a library is
// compiled with; with CMake it links `pullback::operators` of `find_package(pullback)`.
#pragma once

#include "pullback/define_operator.h"  // IWYU pragma: export
#include "pullback/operator_tensor.h"  // IWYU pragma: export
#include "pullback/operators.h"        // IWYU pragma: export

namespace pullback {

/// The same values in C order.
inline Tensor contiguous(const Tensor& x) { return reshape(reshape(x, {-1}), x.shape()); }

}  // namespace pullback
