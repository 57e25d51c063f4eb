#include "node.h"

#include "graph.h"

namespace pullback::standalone {
namespace {

/// Lets go of what a dead node has, and keeps it for the next one.
void empty(Node* node) {
    if (node->leaf != nullptr) node->leaf->leaf_node = nullptr;
    node->leaf = nullptr;
    node->edges.clear();
    node->saved.clear();
    node->layouts.clear();
    node->attributes.clear();
    node->spent = node->uniform = false;
    node->link = nullptr;
    node->mark = node->sequence = 0;
    if (!here.nodes.give(node)) delete node;
}

}  // namespace

Owned<Node> Node::make(const LibraryOperator* op) {
    Node* node = here.nodes.take();
    if (node == nullptr) [[unlikely]] {
        free_at_end();
        node = new Node;
    }
    node->owners = 1;
    node->op = op;
    return Owned<Node>::adopt(node);
}

Owned<Node> Node::of_call(const LibraryOperator& op, std::span<pb_value* const> inputs) {
    Owned<Node> node = make(&op);
    // A node of another thread may have a higher number than this one's next.
    std::uint64_t sequence = here.next_sequence;
    const auto count = static_cast<std::uint32_t>(inputs.size());
    node->edges.emplace_each(count, [&](std::uint32_t i) {
        Edge edge = edge_of(inputs[i]);
        if (edge && edge.node->sequence >= sequence) sequence = edge.node->sequence + 1;
        return edge;
    });
    here.next_sequence = sequence + 1;
    node->sequence = sequence;
    node->saved.emplace_each(count, [&](std::uint32_t i) {
        return op.reads_input(i) ? Keeping(Owned<pb_value>::share(inputs[i])) : Keeping();
    });
    return node;
}

void Node::destroy(Node* node) {
    // A chain of a million nodes is freed one after the other: what a node held waits in a list.
    if (here.destroying) {
        node->next_kept = here.dying;
        here.dying = node;
        return;
    }
    here.destroying = true;
    empty(node);
    while (here.dying != nullptr) {
        Node* const next = here.dying;
        here.dying = next->next_kept;
        empty(next);
    }
    here.destroying = false;
}

void Node::add_output(const pb_value& output, std::size_t number) {
    const bool read = (op->reads_outputs >> number & 1U) != 0;
    if (read) {
        const Tensor kept = view_over(output, output.data, output.layout);
        saved.emplace_back(Keeping(Owned<pb_value>::share(kept.get())));
    } else {
        saved.emplace_back();
    }
}

Node::Edge edge_of(pb_value* value) {
    if (value == nullptr || !value->requires_grad) return {};
    if (value->grad_fn) return {value->grad_fn, value->output};
    if (value->leaf_node == nullptr) {
        Owned<Node> node = Node::make(nullptr);
        node->leaf = value;
        value->leaf_node = node.get();
        return {std::move(node), 0};
    }
    return {Owned<Node>::share(value->leaf_node), 0};
}

}  // namespace pullback::standalone
