// The derivatives of `np.roll`, of sorting a vector and of a cast between floats without Python:
// gradients moved or cast back.
#pragma once

#include "core/arrivals.h"

namespace pullback {

/// The gradient of what was rolled, sorted or cast, in `made`; false where this is not for the
/// node. Throws ErrorSet.
bool differentiate_move(Node& node, const Received& received, std::vector<SentGradient>& made);

}  // namespace pullback
