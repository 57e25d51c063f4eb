// The derivative of selecting rows by integers without Python: gradients added to their rows.
#pragma once

#include "core/arrivals.h"

namespace pullback {

/// The gradient of what `x[integers]` was taken of, in `made`; false where this is not for the
/// node. Throws ErrorSet.
bool differentiate_index(Node& node, const Received& received, std::vector<SentGradient>& made);

}  // namespace pullback
