// The short way for small tensors of one shape: a pointwise kernel's loop, called at once.
//
// Where it doesn't take what it is given, the general way (apply.cpp, derivative.cpp) gives the
// same result.
#pragma once

#include "graph.h"

namespace pullback::standalone {

/// Calls an operator, and records it; none where this is not for the short way. Throws Error.
Owned<pb_value> call_directly(const LibraryOperator& op, std::span<pb_value* const> inputs);

/// The gradients of a node's inputs that need one; false where this is not for the short way. May
/// write over a gradient that nobody else holds.
bool differentiate_directly(const Node& node, Owned<pb_value>& gradient,
                            std::span<const std::uint8_t> needed,
                            std::span<Owned<pb_value>> gradients);

}  // namespace pullback::standalone
