#include "wanted.h"

namespace pullback {
namespace {

std::uint64_t next_base = 4;
bool marks_taken = false;  // by a pass that has not ended

}  // namespace

Wanted::Wanted(const std::vector<Edge>& roots, const std::vector<Edge>& targets)
    : base_(next_base), in_nodes_(!marks_taken) {
    next_base += 4;
    marks_taken = true;
    for (const Edge& target : targets) set_mark(*target.node, base_);
    for (const Edge& root : roots) {
        if (enter(*root.node)) visit(*root.node);
    }
}

Wanted::~Wanted() {
    if (in_nodes_) marks_taken = false;
}

bool Wanted::enter(Node& node) {
    const std::uint64_t mark = mark_of(node);
    if (mark > base_) return false;
    set_mark(node, mark == base_ ? base_ + 3 : base_ + 1);
    return true;
}

void Wanted::visit(Node& root) {
    Node* node = &root;
    const Edge* next = node->edges.begin();
    for (;;) {
        while (next != node->edges.end()) {
            const Edge& edge = *next++;
            if (!edge) continue;
            if (enter(*edge.node)) {
                stack_.push_back({node, next});
                node = edge.node.get();
                next = node->edges.begin();
            } else if (contains(*edge.node)) {
                lead(*node);
            }
        }
        if (stack_.empty()) return;
        const bool leads = contains(*node);
        node = stack_.back().node;
        next = stack_.back().next;
        stack_.pop_back();
        if (leads) lead(*node);
    }
}

bool Wanted::leads_on(const Node& node) const {
    for (const Edge& edge : node.edges) {
        if (edge && contains(*edge.node)) return true;
    }
    return false;
}

}  // namespace pullback
