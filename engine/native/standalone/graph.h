// This engine's graph, as the parts take it that it shares with the module's.
#pragma once

#include "node.h"
#include "pullback/arrivals.h"
#include "pullback/chain.h"
#include "pullback/flat_loop.h"
#include "pullback/wanted.h"

namespace pullback::standalone {

struct Graph {
    using Node = standalone::Node;
    using Edge = Node::Edge;
    using NodeRef = Owned<Node>;
    using Gradient = Owned<pb_value>;

    static Owned<Node> share(Node& node) { return Owned<Node>::share(&node); }
    static std::uint32_t n_outputs(const Node& node) { return node.n_outputs(); }
    static void* data_of(const Owned<pb_value>& gradient) { return gradient->data; }
    static Owned<pb_value> allocate(const Layout& layout, std::size_t bytes) {
        return allocate_value(layout, bytes);
    }
    /// The sum of two gradients, recorded with create_graph. May use the memory of the first where
    /// nobody else holds it. Throws Error.
    static Owned<pb_value> sum(Owned<pb_value>& before, const Owned<pb_value>& gradient,
                               bool create_graph);

    /// Of all threads: a graph may be one's now, and another's later.
    static std::uint64_t next_marks();
    static bool& marks_taken() { return here.marks_taken; }
    static auto& kept_arrivals() { return here.arrivals; }
    static void* spare(std::size_t block) { return spare_memory(block); }

    static const Link* link_of(const Node& node) { return node.link; }
    static const Layout& layout_of(const Node& node) { return node.layouts[0]; }
    static void free_saved(Node& node) { node.let_go(); }
};

using Wanted = WantedIn<Graph>;
using Received = ReceivedIn<Graph>;
using Arrivals = ArrivalsIn<Graph>;
using Turn = TurnIn<Graph>;
using Chain = ChainIn<Graph>;
using Flat = FlatIn<Graph>;

}  // namespace pullback::standalone
