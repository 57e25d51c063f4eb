// The module's graph, as the parts of an engine take it that both engines share.
#pragma once

#include "pullback/arrivals.h"
#include "pullback/chain.h"
#include "pullback/flat_loop.h"
#include "pullback/node.h"
#include "pullback/wanted.h"

namespace pullback {

/// The GIL guards all of it.
struct PythonGraph {
    using Node = pullback::Node;
    using Edge = pullback::Edge;
    using NodeRef = Ref<Node>;
    using Gradient = Ref<Tensor>;
    using KeptArrivals = Kept<ArrivalIn<PythonGraph>, 1024>;

    static Ref<Node> share(Node& node) { return Ref<Node>::borrow(&node); }
    static std::uint32_t n_outputs(const Node& node) { return node.outputs.size(); }
    static void* data_of(const Ref<Tensor>& gradient) { return gradient->data(); }
    static Ref<Tensor> allocate(const Layout& layout, std::size_t bytes) {
        return Tensor::allocate(layout, bytes);
    }
    /// The sum of two gradients, recorded with create_graph. May use the memory of the first where
    /// nobody else holds it. Throws ErrorSet.
    static Ref<Tensor> sum(Ref<Tensor>& before, const Ref<Tensor>& gradient, bool create_graph);

    /// The sum into the first where nobody else holds it; none where this is not for the short way.
    /// Throws ErrorSet.
    static Ref<Tensor> add_directly(Ref<Tensor>& before, const Ref<Tensor>& gradient) {
        const OperatorInfo& info = OperatorInfo::accumulate();
        if (info.flat_inputs == 0) return {};
        return add_by_loop<PythonGraph>(info.kernel->flat, before, gradient);
    }

    static std::uint64_t next_marks() { return marks += 4; }
    static bool& marks_taken() { return marked; }
    static KeptArrivals& kept_arrivals() { return arrivals; }
    static void* spare(std::size_t block) { return memory[block]; }

    static const Link* link_of(const Node& node) {
        if (!node.uniform || node.freed) return nullptr;
        const Link& link = node.recorded->link;
        if (!link.known) [[unlikely]]
            find_link(node);
        return link.loop == nullptr ? nullptr : &link;
    }
    static const Layout& layout_of(const Node& node) { return node.outputs[0].layout; }
    static void free_saved(Node& node) { node.free_saved(); }

  private:
    /// Finds how nodes that are recorded for this one's variant run in a chain, if they do. Throws
    /// ErrorSet.
    static void find_link(const Node& node);

    static std::uint64_t marks;
    static bool marked;
    static KeptArrivals arrivals;
    alignas(64) static double memory[kMostArrays][kMostSpare];
};

using Wanted = WantedIn<PythonGraph>;
using Received = ReceivedIn<PythonGraph>;
using Arrival = ArrivalIn<PythonGraph>;
using Arrivals = ArrivalsIn<PythonGraph>;
using Turn = TurnIn<PythonGraph>;
using Chain = ChainIn<PythonGraph>;
using Flat = FlatIn<PythonGraph>;

}  // namespace pullback
