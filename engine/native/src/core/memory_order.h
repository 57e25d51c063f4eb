// The order in which the axes of arrays lie in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/layout.h"
#include "pullback/kernel_abi.h"

namespace pullback {

/// An order of axes that is not C's, in which arrays of one shape lie without gaps. A loop that
/// works entry by entry takes them as arrays in C order of the shape with its axes in this one, and
/// makes results that lie alike, as NumPy's functions do.
class MemoryOrder {
  public:
    /// That of all inputs; none where they have several, or lie in C order. Numbers and inputs
    /// without data lie in any.
    static std::optional<MemoryOrder> of(std::span<const DLTensor* const> inputs);

    /// The array as one in C order. The order outlives it.
    void apply(DLTensor& array);
    /// Of a result of this shape.
    Layout layout(DType dtype) const;
    int ndim() const { return ndim_; }

  private:
    int ndim_ = 0;
    std::int64_t shape_[PB_MAX_DIMS];
    std::int64_t strides_[PB_MAX_DIMS];
    std::int64_t in_memory_[PB_MAX_DIMS];  // the shape
};

}  // namespace pullback
