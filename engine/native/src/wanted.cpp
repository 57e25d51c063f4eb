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
        enter(*root.node);
        while (!stack_.empty()) {
            Visit& visit = stack_.back();
            Node& node = *visit.node;
            if (visit.next < node.edges.size()) {
                const Edge& edge = node.edges[visit.next++];
                if (edge) enter(*edge.node);
                continue;
            }
            stack_.pop_back();
            if (leads_on(node) && !is_target(node)) set_mark(node, base_ + 2);
        }
    }
}

Wanted::~Wanted() {
    if (in_nodes_) marks_taken = false;
}

void Wanted::enter(Node& node) {
    const std::uint64_t mark = mark_of(node);
    if (mark > base_) return;
    set_mark(node, mark == base_ ? base_ + 3 : base_ + 1);
    stack_.push_back({&node, 0});
}

bool Wanted::leads_on(const Node& node) const {
    for (const Edge& edge : node.edges) {
        if (edge && contains(*edge.node)) return true;
    }
    return false;
}

}  // namespace pullback
