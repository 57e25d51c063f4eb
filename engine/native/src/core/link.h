// A link of a chain: a node of small arrays, whose derivative is one call of a loop.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pullback/kernel_abi.h"

namespace pullback {

/// The most arrays that a loop of a small call may read, or write.
inline constexpr std::size_t kMostArrays = 16;

/// An input of the loop: a saved value by its slot, or (-1) the gradient.
struct LinkInput {
    std::int16_t slot = -1;
    bool relied = false;
};

/// A derivative that runs in a chain; see `chain.h`.
struct Link {
    static constexpr std::size_t kMost = kMostArrays;

    pb_flat_function loop = nullptr;  // none where it is no such derivative
    bool known = false;               // whether that was found out
    std::uint8_t n_inputs = 0;
    std::uint8_t n_outputs = 0;
    std::uint8_t output = 0;  // of the loop: the one that somebody needs
    std::uint8_t edge = 0;    // of the node: where that goes
    LinkInput inputs[kMost];
};

}  // namespace pullback
