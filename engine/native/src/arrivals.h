// Gradients that have arrived at nodes which are still to run.
#pragma once

#include <vector>

#include "derivative.h"

namespace pullback {

class Arrivals;

/// What a node has received in one backward pass.
struct Arrival {
    const Arrivals* pass;
    Ref<Node> node;
    std::uint64_t sequence;  // of the node
    Received received;
    Arrival* next;  // of the same node, in another pass that runs now
};

/// The nodes that wait, the youngest first. A node is younger than everything that it reads, so
/// when its turn comes all its gradients have arrived.
class Arrivals {
  public:
    explicit Arrivals(bool create_graph) : create_graph_(create_graph) {}
    ~Arrivals();
    Arrivals(const Arrivals&) = delete;
    Arrivals& operator=(const Arrivals&) = delete;

    /// Adds a gradient to what an output of a node has received so far. Throws ErrorSet.
    void send(const Edge& edge, Ref<Tensor> gradient);
    /// What the edge's node has received there so far; NULL where it has received nothing.
    Ref<Tensor>* at(const Edge& edge) const;
    bool empty() const { return waiting_.empty(); }
    /// Whether a gradient that is all that a node will receive, as nothing younger waits.
    bool reaches_last(const Node& node) const {
        return node.arrivals == nullptr &&
               (waiting_.empty() || waiting_.front()->sequence < node.sequence);
    }
    /// Whether the youngest node that waits, and another one that is no leaf, have received so many
    /// bytes.
    bool has_branches(std::ptrdiff_t bytes) const {
        return waiting_.size() > 1 && receives(*waiting_.front(), bytes) && has_another(bytes);
    }
    /// Takes out the youngest node; to be given to `done`.
    Arrival* next();
    static void done(Arrival* arrival);

  private:
    static bool receives(const Arrival& arrival, std::ptrdiff_t bytes) {
        const Ref<Tensor>& first = arrival.received[0];
        return first && first->storage->end - first->storage->begin >= bytes;
    }
    bool has_another(std::ptrdiff_t bytes) const;
    Arrival& arrival_at(Node& node);
    static void unlink(Arrival& arrival);

    bool create_graph_;
    std::vector<Arrival*> waiting_;  // a heap by sequence number
};

/// An arrival that was taken out, until the end of a scope.
class Turn {
  public:
    explicit Turn(Arrival* arrival) : arrival_(arrival) {}
    ~Turn() { Arrivals::done(arrival_); }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    Arrival& operator*() const { return *arrival_; }
    Arrival* operator->() const { return arrival_; }

  private:
    Arrival* arrival_;
};

/// The sum of two gradients, recorded with create_graph. May use the memory of the first where
/// nobody else holds it. Throws ErrorSet.
Ref<Tensor> add_gradients(Ref<Tensor>& before, const Ref<Tensor>& gradient, bool create_graph);

}  // namespace pullback
