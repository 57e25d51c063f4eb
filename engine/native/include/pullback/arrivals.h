// Gradients that have arrived at nodes which are still to run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "pullback/inline_vector.h"
#include "pullback/kept.h"

namespace pullback {

template <typename Graph>
class ArrivalsIn;

/// Gradients by output of a node, none where undefined.
template <typename Graph>
using ReceivedIn = InlineVector<typename Graph::Gradient, 2>;

/// What a node has received in one backward pass.
template <typename Graph>
struct ArrivalIn {
    const ArrivalsIn<Graph>* pass;
    typename Graph::NodeRef node;
    std::uint64_t sequence;  // of the node
    ReceivedIn<Graph> received;
    ArrivalIn* next;  // of the same node, in another pass that runs now
    ArrivalIn* next_kept = nullptr;
};

/// The nodes that wait, the youngest first. A node is younger than everything that it reads, so
/// when its turn comes all its gradients have arrived.
///
/// Of an engine's `Graph`:
///     Node, with `sequence` and `arrivals`; Edge, with `node` and `output`
///     NodeRef, Gradient                            owners of a node, of a tensor
///     static NodeRef share(Node&)
///     static std::uint32_t n_outputs(const Node&)
///     static Gradient sum(Gradient& before, const Gradient&, bool create_graph)
///     static Kept<ArrivalIn<Graph>>& kept_arrivals()
template <typename Graph>
class ArrivalsIn {
  public:
    using Node = typename Graph::Node;
    using Edge = typename Graph::Edge;
    using Gradient = typename Graph::Gradient;
    using Arrival = ArrivalIn<Graph>;

    explicit ArrivalsIn(bool create_graph) : create_graph_(create_graph) {}
    ~ArrivalsIn() {
        for (Arrival* arrival : waiting_) {
            unlink(*arrival);
            done(arrival);
        }
    }
    ArrivalsIn(const ArrivalsIn&) = delete;
    ArrivalsIn& operator=(const ArrivalsIn&) = delete;

    /// Adds a gradient to what an output of a node has received so far. Throws what `sum` throws.
    void send(const Edge& edge, Gradient gradient) {
        Gradient& received = arrival_at(*edge.node).received[static_cast<std::size_t>(edge.output)];
        if (received) {
            // An author's code may run in there, and send to this node too: the place must not be
            // used meanwhile.
            Gradient before = std::move(received);
            received = Graph::sum(before, gradient, create_graph_);
        } else {
            received = std::move(gradient);
        }
    }
    /// What the edge's node has received there so far; NULL where it has received nothing.
    Gradient* at(const Edge& edge) const {
        Arrival* const arrival = arrival_of(*edge.node);
        return arrival == nullptr ? nullptr
                                  : &arrival->received[static_cast<std::size_t>(edge.output)];
    }
    bool empty() const { return waiting_.empty(); }
    /// A heap: the youngest is the first.
    const std::vector<Arrival*>& waiting() const { return waiting_; }
    /// Whether a gradient that is sent to this node now is all that it will receive, as nothing
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
        arrival->node = {};
        if (!Graph::kept_arrivals().give(arrival)) delete arrival;
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
        Arrival* made = Graph::kept_arrivals().take();
        if (made == nullptr) made = new Arrival;
        made->pass = this;
        made->node = Graph::share(node);
        made->sequence = node.sequence;
        made->received.emplace_each(Graph::n_outputs(node),
                                    [](std::uint32_t) { return Gradient(); });
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

    bool create_graph_;
    std::vector<Arrival*> waiting_;
};

/// An arrival that was taken out, until the end of a scope.
template <typename Graph>
class TurnIn {
  public:
    explicit TurnIn(ArrivalIn<Graph>* arrival) : arrival_(arrival) {}
    ~TurnIn() { ArrivalsIn<Graph>::done(arrival_); }
    TurnIn(const TurnIn&) = delete;
    TurnIn& operator=(const TurnIn&) = delete;
    ArrivalIn<Graph>& operator*() const { return *arrival_; }
    ArrivalIn<Graph>* operator->() const { return arrival_; }

  private:
    ArrivalIn<Graph>* arrival_;
};

}  // namespace pullback
