// A call that is recorded, and its place in the graph.
#pragma once

#include <cstdint>
#include <vector>

#include "library.h"

namespace pullback::standalone {

/// Whether operators are recorded in this thread.
bool grad_enabled();

class GradMode {
  public:
    explicit GradMode(bool enabled);
    ~GradMode();
    GradMode(const GradMode&) = delete;
    GradMode& operator=(const GradMode&) = delete;

  private:
    bool before_;
};
void set_grad_enabled(bool enabled);

/// Values that a backward needs, as they were.
struct Keeping {
    Tensor value;
    std::uint32_t version = 0;

    explicit Keeping(Tensor kept);
};

/// A call, or a leaf. What it depends on was made before it, and has a lower number.
struct Node : Recycled<Node> {
    struct Edge {
        Owned<Node> node;  // none: no gradient is needed
        std::uint32_t output = 0;
    };

    std::uint32_t owners = 1;
    std::uint64_t sequence;            // zero for a leaf, which depends on nothing
    const LibraryOperator* op;         // none: a leaf
    pb_value* leaf = nullptr;          // of a leaf that is alive; borrowed
    InlineVector<Edge, 2> edges;       // one per input
    InlineVector<Keeping, 2> inputs;   // empty tensors where the backward does not read them
    InlineVector<Keeping, 1> outputs;  // without history: they would keep the node alive
    InlineVector<Layout, 3> layouts;   // of inputs, then of outputs
    Attributes attributes;
    bool spent = false;          // a backward has run, and let go of what was kept
    std::size_t place = 0;       // in the list of a backward that is under way
    const void* list = nullptr;  // which list that is

    explicit Node(const LibraryOperator* called);
    static void destroy(Node* node);
    std::size_t n_outputs() const { return op == nullptr ? 1 : op->outputs; }
    void let_go();
};

/// The node whose output the tensor is; that of a leaf is made when first asked for.
Node::Edge edge_of(const Tensor& tensor);

/// Calls an operator whose forward is a kernel of the library, likewise.
Tensor apply_kernel(const LibraryOperator& op, std::span<const Tensor> inputs);
/// Calls an operator, and records the call where that is on and an input requires grad.
Tensors apply(const LibraryOperator& op, std::span<const Tensor> inputs, Attributes attributes);

/// Fills a gradient per input from those of the outputs; empty for zero. Where it is recorded, what
/// was saved comes with its history.
void run_backward_of(Node& node, std::span<const Tensor> received,
                     std::span<const std::uint8_t> needed, bool recorded,
                     std::span<Tensor> gradients);
bool is_float(const pb_value& value);

}  // namespace pullback::standalone
