// The nodes that a backward pass runs, and where it ends.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/node.h"

namespace pullback {

/// The nodes between the outputs and what was asked for; all of them where nothing was.
///
/// Marks stand in the nodes, in one pass at a time: a pass inside another one, or beside it in
/// another thread, has its own table.
class PassNodes {
  public:
    /// Everything.
    PassNodes() = default;
    /// The nodes that lead from `roots` to `targets`, both included.
    PassNodes(const std::vector<Edge>& roots, const std::vector<Edge>& targets)
        : base_(last_marks += 4), in_nodes_(!marks_taken) {
        marks_taken = true;
        for (const Edge& target : targets) set_mark(*target.node, base_);
        for (const Edge& root : roots) {
            if (enter(*root.node)) visit(*root.node);
        }
    }
    ~PassNodes() {
        if (in_nodes_) marks_taken = false;
    }
    PassNodes(const PassNodes&) = delete;
    PassNodes& operator=(const PassNodes&) = delete;

    bool contains(const Node& node) const { return everything() || mark_of(node) >= base_ + 2; }
    bool is_target(const Node& node) const { return !everything() && mark_of(node) >= base_ + 3; }
    bool everything() const { return base_ == 0; }
    /// True if some input of the node leads to what was asked for.
    bool leads_on(const Node& node) const {
        for (const Edge& edge : node.edges) {
            if (edge && contains(*edge.node)) return true;
        }
        return false;
    }

  private:
    // Above base_: 1 seen, 2 leads to a target, 3 is a target; at it, a target that wasn't seen.
    std::uint64_t mark_of(const Node& node) const {
        if (in_nodes_) return node.mark;
        const auto found = table_.find(&node);
        return found == table_.end() ? 0 : found->second;
    }
    void set_mark(Node& node, std::uint64_t mark) {
        (in_nodes_ ? node.mark : table_[&node]) = mark;
    }
    /// A node that an edge leads to; whether it is new, and its own edges are to be visited now.
    bool enter(Node& node) {
        const std::uint64_t mark = mark_of(node);
        if (mark > base_) return false;
        set_mark(node, mark == base_ ? base_ + 3 : base_ + 1);
        return true;
    }
    /// All that comes before a node, without recursion.
    void visit(Node& root) {
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
    /// The node leads to a target.
    void lead(Node& node) {
        if (!contains(node)) set_mark(node, base_ + 2);
    }

    struct Visit {
        Node* node;
        const Edge* next;  // of the node
    };

    static inline std::uint64_t last_marks = 0;  // four numbers per pass
    static inline bool marks_taken = false;      // by a pass that has not ended

    std::uint64_t base_ = 0;
    bool in_nodes_ = false;
    std::unordered_map<const Node*, std::uint64_t> table_;
    std::vector<Visit> stack_;
};

}  // namespace pullback
