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
        if (enter(*root.node)) visit_all();
    }
}

Wanted::~Wanted() {
    if (in_nodes_) marks_taken = false;
}

bool Wanted::enter(Node& node) {
    const std::uint64_t mark = mark_of(node);
    if (mark > base_) return false;
    set_mark(node, mark == base_ ? base_ + 3 : base_ + 1);
    if (node.edges.empty()) return false;
    stack_.push_back({&node, node.edges.begin()});
    return true;
}

void Wanted::visit_all() {
    while (!stack_.empty()) {
        Visit& visit = stack_.back();
        Node& node = *visit.node;
        if (visit.next == node.edges.end()) {
            stack_.pop_back();
            if (!stack_.empty() && contains(node)) lead(*stack_.back().node);
            continue;
        }
        const Edge& edge = *visit.next++;
        if (edge && !enter(*edge.node) && contains(*edge.node)) lead(node);
    }
}

bool Wanted::leads_on(const Node& node) const {
    for (const Edge& edge : node.edges) {
        if (edge && contains(*edge.node)) return true;
    }
    return false;
}

}  // namespace pullback
