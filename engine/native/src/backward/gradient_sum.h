// Gradients that meet are added.
#pragma once

#include "core/arrivals.h"

namespace pullback {

/// The sum of two gradients into the first where nobody else holds it; none where this is not for
/// the fast path. Throws ErrorSet.
Ref<Tensor> add_directly(Ref<Tensor>& before, const Ref<Tensor>& gradient);

}  // namespace pullback
