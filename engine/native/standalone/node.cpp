#include "node.h"

#include <atomic>

namespace pullback::standalone {
namespace {

thread_local bool enabled_here = true;
std::atomic<std::uint64_t> made{1};

}  // namespace

bool grad_enabled() { return enabled_here; }
void set_grad_enabled(bool enabled) { enabled_here = enabled; }

GradMode::GradMode(bool enabled) : before_(enabled_here) { enabled_here = enabled; }
GradMode::~GradMode() { enabled_here = before_; }

Keeping::Keeping(Tensor kept) : value(std::move(kept)) {
    if (value && !value.get()->is_number) version = value.get()->storage->version;
}

Node::Node(const LibraryOperator* called)
    : sequence(called == nullptr ? 0 : made.fetch_add(1, std::memory_order_relaxed)), op(called) {}

void Node::destroy(Node* node) {
    // A chain of a million nodes is freed one after the other: what a node held waits in the list.
    static thread_local std::vector<Node*> waiting;
    static thread_local bool freeing = false;
    waiting.push_back(node);
    if (freeing) return;
    freeing = true;
    while (!waiting.empty()) {
        Node* next = waiting.back();
        waiting.pop_back();
        if (next->leaf != nullptr) next->leaf->leaf_node = nullptr;
        delete next;
    }
    freeing = false;
}

void Node::let_go() {
    spent = true;
    inputs.clear();
    outputs.clear();
}

Node::Edge edge_of(const Tensor& tensor) {
    if (!tensor || !tensor.get()->requires_grad) return {};
    pb_value& value = *tensor.get();
    if (value.grad_fn) return {value.grad_fn, value.output};
    if (value.leaf_node == nullptr) {
        auto node = Owned<Node>::adopt(new Node(nullptr));
        node->leaf = &value;
        value.leaf_node = node.get();
        return {std::move(node), 0};
    }
    return {Owned<Node>::share(value.leaf_node), 0};
}

}  // namespace pullback::standalone
