// One node's step of the backward pass: from gradients of its outputs to gradients of its inputs.
#pragma once

#include <unordered_set>
#include <vector>

#include "pullback/engine.h"

namespace pullback {

/// The nodes that lead to what was asked for; NULL: all.
using Wanted = const std::unordered_set<Node*>*;

struct SentGradient {
    Edge edge;
    Ref<Tensor> gradient;
};

/// Gradients by output of the node, none where undefined.
using Received = std::vector<Ref<Tensor>>;

/// Runs the node's derivative: each gradient with the edge that it goes along. Throws ErrorSet.
std::vector<SentGradient> input_gradients(Node& node, const Received& received, Wanted wanted,
                                          bool create_graph);

}  // namespace pullback
