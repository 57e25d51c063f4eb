// The derivative of a view without Python: the gradient in the place of what the view shows.
#pragma once

#include "core/arrivals.h"

namespace pullback {

/// The gradient of what a view was taken of, in `made`; false where this is not for the node.
/// Adds to what waits there where nobody else holds it; `waiting` may be NULL. Throws ErrorSet.
bool differentiate_view(Node& node, Received& received, std::vector<SentGradient>& made,
                        Arrivals* waiting);

}  // namespace pullback
