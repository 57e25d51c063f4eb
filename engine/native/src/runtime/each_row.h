// Rows of several arrays of one shape and any strides.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/inline_vector.h"

namespace pullback {

/// Calls body(offsets, steps, count) for each row along the last axis, in C order: where the row
/// begins in each array, how far its elements are apart there, and how many they are. All of them
/// count elements, as `strides` do, of which there is one per axis for each array.
template <std::size_t N, typename Body>
void each_row(std::span<const std::int64_t> shape,
              const std::array<const std::int64_t*, N>& strides, Body&& body) {
    for (const std::int64_t extent : shape) {
        if (extent == 0) return;
    }
    std::array<std::int64_t, N> offsets{}, steps{};
    if (shape.empty()) return body(offsets, steps, std::int64_t{1});
    const std::size_t last = shape.size() - 1;
    for (std::size_t k = 0; k < N; ++k) steps[k] = strides[k][last];
    InlineVector<std::int64_t, 8> index;
    while (index.size() < last) index.emplace_back(0);
    for (;;) {
        body(offsets, steps, shape[last]);
        std::size_t axis = last;
        for (;;) {
            if (axis == 0) return;
            --axis;
            for (std::size_t k = 0; k < N; ++k) offsets[k] += strides[k][axis];
            if (++index[axis] < shape[axis]) break;
            for (std::size_t k = 0; k < N; ++k) offsets[k] -= strides[k][axis] * shape[axis];
            index[axis] = 0;
        }
    }
}

}  // namespace pullback
