// Gradients that have arrived at nodes which are still to run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/free_list.h"
#include "base/inline_vector.h"
#include "core/node.h"

namespace pullback {

class Arrivals;

/// Gradients by output of a node, none where undefined.
using Received = InlineVector<Ref<Tensor>, 2>;

/// A gradient of an input, which a derivative has computed.
struct SentGradient {
    const Edge* edge;  // of the node that ran
    Ref<Tensor> gradient;
};

/// The gradients that a node has received in one backward pass.
struct Arrival {
    const Arrivals* pass;
    Ref<Node> node;
    std::uint64_t sequence;  // of the node
    Received received;
    Arrival* next;  // of the same node, in another pass that runs now
    Arrival* next_free = nullptr;
};

/// The sum of two gradients, recorded with create_graph. May use the memory of the first where
/// nobody else holds it. Throws ErrorSet.
Ref<Tensor> sum_of(Ref<Tensor>& before, const Ref<Tensor>& gradient, bool create_graph);

/// The nodes that wait, the youngest first. A node is younger than everything that it reads, so
/// when it runs all its gradients have arrived. The GIL guards them.
class Arrivals {
  public:
    explicit Arrivals(bool create_graph) : create_graph_(create_graph) {}
    ~Arrivals() {
        for (Arrival* arrival : waiting_) {
            unlink(*arrival);
            done(arrival);
        }
    }
    Arrivals(const Arrivals&) = delete;
    Arrivals& operator=(const Arrivals&) = delete;

    /// Adds a gradient to what an output of a node has received so far. Throws ErrorSet.
    void send(const Edge& edge, Ref<Tensor> gradient) {
        Ref<Tensor>& received =
            arrival_at(*edge.node).received[static_cast<std::size_t>(edge.output)];
        if (received) {
            // An author's code may run in there, and send to this node too: the place must not be
            // used meanwhile.
            Ref<Tensor> before = std::move(received);
            received = sum_of(before, gradient, create_graph_);
        } else {
            received = std::move(gradient);
        }
    }
    /// The gradient that the edge's node has received there so far; NULL where it has received
    /// nothing.
    Ref<Tensor>* at(const Edge& edge) const {
        Arrival* const arrival = arrival_of(*edge.node);
        return arrival == nullptr ? nullptr
                                  : &arrival->received[static_cast<std::size_t>(edge.output)];
    }
    bool empty() const { return waiting_.empty(); }
    /// A heap: the youngest is the first.
    const std::vector<Arrival*>& waiting() const { return waiting_; }
    /// True if a gradient that is sent to this node now is all that it will receive, as nothing
    /// younger waits.
    bool reaches_last(const Node& node) const {
        return node.arrivals == nullptr &&
               (waiting_.empty() || waiting_.front()->sequence < node.sequence);
    }
    /// Takes out the youngest node; to be given to `done`.
    Arrival* next() {
        std::pop_heap(waiting_.begin(), waiting_.end(), older);
        Arrival* arrival = waiting_.back();
        waiting_.pop_back();
        unlink(*arrival);
        return arrival;
    }
    static void done(Arrival* arrival) {
        arrival->received.clear();
        arrival->node = nullptr;
        if (!free_list.give(arrival)) delete arrival;
    }

  private:
    static bool older(const Arrival* a, const Arrival* b) { return a->sequence < b->sequence; }

    Arrival* arrival_of(const Node& node) const {
        Arrival* arrival = node.arrivals;
        while (arrival != nullptr && arrival->pass != this) arrival = arrival->next;
        return arrival;
    }
    Arrival& arrival_at(Node& node) {
        if (Arrival* const arrival = arrival_of(node)) return *arrival;
        Arrival* made = free_list.take();
        if (made == nullptr) made = new Arrival;
        made->pass = this;
        made->node = Ref<Node>::borrow(&node);
        made->sequence = node.sequence;
        made->received.emplace_each(node.outputs.size(),
                                    [](std::uint32_t) { return Ref<Tensor>(); });
        made->next = node.arrivals;
        node.arrivals = made;
        waiting_.push_back(made);
        std::push_heap(waiting_.begin(), waiting_.end(), older);
        return *made;
    }
    static void unlink(Arrival& arrival) {
        Arrival** link = &arrival.node->arrivals;
        while (*link != &arrival) link = &(*link)->next;
        *link = arrival.next;
    }

    static inline FreeList<Arrival, 1024> free_list;

    bool create_graph_;
    std::vector<Arrival*> waiting_;
};

/// An arrival that was taken out, until the end of a scope.
class TakenArrival {
  public:
    explicit TakenArrival(Arrival* arrival) : arrival_(arrival) {}
    ~TakenArrival() { Arrivals::done(arrival_); }
    TakenArrival(const TakenArrival&) = delete;
    TakenArrival& operator=(const TakenArrival&) = delete;
    Arrival& operator*() const { return *arrival_; }
    Arrival* operator->() const { return arrival_; }

  private:
    Arrival* arrival_;
};

}  // namespace pullback
