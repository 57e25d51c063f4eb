// From an output back to what it depends on.
#pragma once

#include "node.h"

namespace pullback::standalone {

struct Request {
    Tensor output;
    Tensor seed;  // empty: one, for a single value
    bool retain_graph = false;
    bool create_graph = false;
};

/// Adds to the gradient of every leaf. Throws Error.
void accumulate_gradients(const Request& request);
/// A gradient per input. Throws Error, also where the output does not depend on one.
Tensors gradients_of(const Request& request, std::span<const Tensor> inputs);

}  // namespace pullback::standalone
