// One node's step of the backward pass: from gradients of its outputs to gradients of its inputs.
#pragma once

#include <vector>

#include "pullback/engine.h"
#include "wanted.h"

namespace pullback {

struct SentGradient {
    const Edge* edge;  // of the node that ran
    Ref<Tensor> gradient;
};

/// Gradients by output of the node, none where undefined.
using Received = InlineVector<Ref<Tensor>, 2>;

/// Throws ErrorSet: a barrier was to be differentiated.
[[noreturn]] void raise_barrier(const Node& node);

/// Runs the node's derivative: adds each gradient, with the edge that it goes along, to `made`.
/// Throws ErrorSet.
void input_gradients(Node& node, Received& received, const Wanted& wanted, bool create_graph,
                     std::vector<SentGradient>& made);

}  // namespace pullback
