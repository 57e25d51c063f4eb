// Loops of pointwise kernels over large arrays, in pieces that the engine's threads share.
#pragma once

#include <cstdint>
#include <span>

#include "pullback/kernel_abi.h"

namespace pullback {

/// An operand of a loop: an array of floats, or a number in each place.
struct SweepInput {
    const void* data;  // NULL: the number
    double number;
};

/// Writes loop(inputs) to `output`, which may be one of them. Let go of the GIL before.
void sweep(pb_flat_function loop, int bits, std::span<const SweepInput> inputs, void* output,
           std::int64_t size);

/// Adds factor * other to target, each rounded. Let go of the GIL before.
void sweep_scaled(int bits, void* target, const void* other, double factor, std::int64_t size);

}  // namespace pullback
