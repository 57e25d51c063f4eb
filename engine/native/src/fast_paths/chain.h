// Nodes of small tensors in a row, each of which passes one gradient on to one other: a backward
// goes along them without a queue.
#pragma once

#include <cstdint>
#include <utility>

#include "core/arrivals.h"
#include "core/link.h"
#include "core/node.h"
#include "fast_paths/flat_loop.h"

namespace pullback {

/// Finds how nodes that are recorded for this one's variant run in a chain, if they do. Throws
/// ErrorSet.
void find_link(const Node& node);

/// A node's link in a chain; NULL where it has none. Throws ErrorSet.
inline const Link* link_of(const Node& node) {
    if (!node.uniform || node.freed) return nullptr;
    const Link& link = node.recorded->link;
    if (!link.known) [[unlikely]]
        find_link(node);
    return link.loop == nullptr ? nullptr : &link;
}

/// A gradient on its way along nodes of one layout.
class Chain {
  public:
    /// `gradient` is the one that the first node has received for its only result.
    explicit Chain(Ref<Tensor>& gradient) : gradient_(gradient), nowhere_(LoopMemory::spare(0)) {}

    /// Runs this node and those behind it, for as long as each passes one gradient on to a node
    /// that takes it in passing: one that `passes` is true of, and no other gradient can reach any
    /// more. Then the gradient is sent on. False where the first is no such node: nothing was done.
    /// Writes over a gradient that nobody else holds. `node` becomes the last one that ran.
    template <typename Passes>
    bool follow(Node*& node, Arrivals& arrivals, bool retain, Passes&& passes) {
        const Edge* edge = begin(*node);
        if (edge == nullptr) return false;
        for (;;) {
            if (!retain) node->free_saved();
            Node& next = *edge->node;
            if (edge->output != 0 || !passes(next) || !arrivals.reaches_last(next)) break;
            const Edge* const onwards = go_on(next);
            if (onwards == nullptr) break;
            node = &next;
            edge = onwards;
        }
        arrivals.send(*edge, std::move(gradient_));
        return true;
    }

  private:
    /// Makes the gradient of the first node's result into that of its only input which wants one,
    /// and gives the edge along which it goes. NULL where the node is not for this.
    const Edge* begin(const Node& node) {
        const Link* const link = link_of(node);
        const Layout& layout = gradient_->layout;
        if (link == nullptr || !layout.twin_of(node.outputs[0].layout)) return nullptr;
        size_ = layout.size();
        bits_ = layout.loop_bits();
        if (size_ > kMostSpare) return nullptr;
        if (gradient_->exclusive()) return run(node, *link, gradient_->data());
        Ref<Tensor> fresh = Tensor::allocate(layout, static_cast<std::size_t>(size_ * (bits_ / 8)));
        const Edge* const edge = run(node, *link, fresh->data());
        if (edge != nullptr) gradient_ = std::move(fresh);
        return edge;
    }

    /// The same for the node at the end of that edge, and so on.
    const Edge* go_on(const Node& node) {
        // A node before was uniform too: what it read is of its layout, and so is what this one
        // gave. The gradient is nobody else's.
        const Link* const link = link_of(node);
        return link == nullptr ? nullptr : run(node, *link, gradient_->data());
    }

    const Edge* run(const Node& node, const Link& link, void* target) {
        const void* inputs[Link::kMost];
        for (std::size_t i = 0; i < link.n_inputs; ++i) {
            const LinkInput input = link.inputs[i];
            inputs[i] = input.slot < 0 ? gradient_->data()
                                       : node.saved[std::size_t(input.slot)].values(input.relied);
            if (inputs[i] == nullptr) [[unlikely]]
                return nullptr;
        }
        void* outputs[Link::kMost];
        for (std::size_t k = 0; k < link.n_outputs; ++k) outputs[k] = nowhere_;
        outputs[link.output] = target;
        if (link.loop(bits_, inputs, outputs, size_) != PB_OK) return nullptr;
        return &node.edges[link.edge];
    }

    Ref<Tensor>& gradient_;
    void* const nowhere_;    // where a loop puts gradients that nobody needs
    std::int64_t size_ = 0;  // of the gradient, as all arrays of all nodes
    int bits_ = 0;
};

}  // namespace pullback
