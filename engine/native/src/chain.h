// Nodes of small tensors in a row, each of which passes one gradient on to one other: a backward
// goes along them without a queue.
#pragma once

#include "pullback/node.h"

namespace pullback {

/// Finds how nodes that are recorded for this variant run in a chain, if they do. Throws ErrorSet.
void find_link(OperatorInfo& info, const Variant& recorded);

/// A gradient on its way along nodes of one layout.
class Chain {
  public:
    /// `gradient` is the one that the first node has received for its only result.
    explicit Chain(Ref<Tensor>& gradient) : gradient_(gradient) {}

    /// Turns the gradient of the first node's result into that of its only input which wants one,
    /// and gives the edge along which it goes. NULL where the node is not for this: nothing was
    /// done. Writes over a gradient that nobody else holds. Throws ErrorSet.
    const Edge* begin(const Node& node);
    /// The same for the node at the end of that edge, and so on.
    const Edge* go_on(const Node& node);

  private:
    const Edge* run(const Node& node, const Link& link, void* target);

    Ref<Tensor>& gradient_;
    std::int64_t size_ = 0;  // of the gradient, as all arrays of all nodes
    int bits_ = 0;
};

}  // namespace pullback
