// A call that is recorded, and its place in the graph.
#pragma once

#include <cstdint>
#include <vector>

#include "library.h"

namespace pullback::standalone {

/// Whether operators are recorded in this thread.
inline bool grad_enabled() { return here.grad_enabled; }

class GradMode {
  public:
    explicit GradMode(bool enabled) : before_(here.grad_enabled) { here.grad_enabled = enabled; }
    ~GradMode() { here.grad_enabled = before_; }
    GradMode(const GradMode&) = delete;
    GradMode& operator=(const GradMode&) = delete;

  private:
    bool before_;
};

/// A value that a backward needs, as it was; or none.
class Keeping {
  public:
    Keeping() = default;
    explicit Keeping(Owned<pb_value> kept) : value_(std::move(kept)) {
        if (value_ && !value_->is_number) version_ = value_->storage->version;
    }

    const Owned<pb_value>& value() const { return value_; }
    /// NULL where there is none, or it was written to since.
    const pb_value* unchanged() const { return value_ && !changed() ? value_.get() : nullptr; }
    /// The elements of a tensor; NULL likewise, and for a number.
    const void* values(bool) const {
        const pb_value* const value = unchanged();
        return value == nullptr || value->is_number ? nullptr : value->data;
    }
    bool changed() const { return !value_->is_number && value_->storage->version != version_; }

  private:
    Owned<pb_value> value_;
    std::uint32_t version_ = 0;
};

/// A call, or a leaf. What it depends on was made before it, and has a lower number.
struct Node {
    struct Edge {
        Owned<Node> node;  // none: no gradient is needed
        std::uint32_t output = 0;

        explicit operator bool() const { return static_cast<bool>(node); }
    };

    std::uint32_t owners = 1;
    bool spent = false;                   // a backward has run, and let go of what was kept
    bool uniform = false;                 // all it read and gave are of one layout, or numbers
    std::uint64_t sequence = 0;           // zero for a leaf, which depends on nothing
    std::uint64_t mark = 0;               // see `WantedIn`
    const LibraryOperator* op = nullptr;  // none: a leaf
    const Link* link = nullptr;           // how it runs in a chain, if it does
    pb_value* leaf = nullptr;             // of a leaf that is alive; borrowed
    InlineVector<Edge, 2> edges;          // one per input
    // Inputs, then outputs; none where the backward does not read them. Outputs without history:
    // they would keep the node alive.
    InlineVector<Keeping, 3> saved;
    InlineVector<Layout, 1> layouts;  // of inputs, then of outputs; one for all of a uniform node
    Attributes attributes;
    ArrivalIn<Graph>* arrivals = nullptr;  // gradients on their way, per backward that runs now
    Node* next_kept = nullptr;             // or the next one to be destroyed

    /// An empty one.
    static Owned<Node> make(const LibraryOperator* op);
    /// A call with its edges and the inputs that its backward reads.
    static Owned<Node> of_call(const LibraryOperator& op, std::span<pb_value* const> inputs);
    static void destroy(Node* node);

    /// Keeps an output where the backward reads it.
    void add_output(const pb_value& output, std::size_t number);
    std::uint32_t n_outputs() const {
        return op == nullptr ? 1 : static_cast<std::uint32_t>(op->outputs);
    }
    const Layout& layout(std::size_t position) const { return layouts[uniform ? 0 : position]; }
    void let_go() {
        spent = true;
        link = nullptr;
        saved.clear();
    }
};

/// The node whose output the value is, none where it needs no gradient; that of a leaf is made when
/// first asked for.
Node::Edge edge_of(pb_value* value);

/// Calls an operator, and records the call where that is on and an input requires grad.
Tensors apply(const LibraryOperator& op, std::span<const Tensor> inputs, Attributes attributes);

/// Fills a gradient per input from those of the outputs; empty for zero. Where it is recorded, what
/// was saved comes with its history.
void run_backward_of(Node& node, std::span<const Tensor> received,
                     std::span<const std::uint8_t> needed, bool recorded,
                     std::span<Tensor> gradients);
bool is_float(const pb_value& value);

}  // namespace pullback::standalone

inline void pb_value::hang_on(pullback::standalone::Owned<pullback::standalone::Node> node,
                              std::size_t number_of_output) {
    grad_fn = std::move(node);
    output = static_cast<std::uint32_t>(number_of_output);
    requires_grad = true;
}
