// Nodes of small tensors in a row, each of which passes one gradient on to one other: a backward
// goes along them without a queue.
#pragma once

#include "pullback/node.h"

namespace pullback {

/// Finds how nodes that are recorded for this variant run in a chain, if they do. Throws ErrorSet.
void find_link(OperatorInfo& info, const Variant& recorded);

/// Turns the gradient of the node's only result into that of its only input which wants one, and
/// gives the edge along which it goes. NULL where the node is not for this: nothing was done.
/// Writes over a gradient that nobody else holds. Throws ErrorSet.
const Edge* run_link(const Node& node, Ref<Tensor>& gradient);

}  // namespace pullback
