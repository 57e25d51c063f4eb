// What the generated derivatives are written with, besides the operators.
#pragma once

#include <limits>
#include <numeric>

#include "library.h"
#include "pullback/operators.h"

namespace pullback::standalone {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A number that NumPy holds as a float64, which widens float32.
inline Tensor strong(double number) { return Tensor({number}, {}); }

inline std::int64_t ndim_of(const Like& like) {
    return static_cast<std::int64_t>(like.shape.size());
}
inline std::int64_t size_of(const Like& like) {
    return std::accumulate(like.shape.begin(), like.shape.end(), std::int64_t{1},
                           std::multiplies<>());
}

/// 0, 1, ... below `stop`.
inline Shape range(std::int64_t stop) {
    Shape numbers(static_cast<std::size_t>(stop));
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
}

/// The stretches of `x` that arrays of these shapes and dtypes have when joined along `axis`.
Tensors split_like(const Tensor& x, const std::vector<Like>& likes, const Attribute& axis);
/// The slices of `x` along `axis`, in these shapes and dtypes.
Tensors unstack_like(const Tensor& x, const std::vector<Like>& likes, const Attribute& axis);

}  // namespace pullback::standalone
