// The derivatives of `np.roll` and of sorting a vector without Python: gradients moved back.
#pragma once

#include "core/arrivals.h"

namespace pullback {

/// The gradient of what was rolled or sorted, in `made`; false where this is not for the node.
/// Throws ErrorSet.
bool differentiate_move(Node& node, const Received& received, std::vector<SentGradient>& made);

}  // namespace pullback
