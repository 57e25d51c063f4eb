// One node's step of the backward pass: from gradients of its outputs to gradients of its inputs.
#pragma once

#include <memory>
#include <vector>

#include "backward/pass_nodes.h"
#include "core/arrivals.h"
#include "core/node.h"

namespace pullback {

/// A node's derivative by a kernel that is ready to run, on any thread.
struct KernelRun {
    KernelRun(Node& node, const Variant& of) : variant(of), launch(*of.kernel), running(node) {}

    const Variant& variant;
    Launch launch;
    LaunchOutputs computed;
    const Running running;
};

/// The node's derivative as a kernel; none where it is none, or one that is done at once. Throws
/// ErrorSet.
std::unique_ptr<KernelRun> prepare_kernel(Node& node, const Received& received,
                                          const PassNodes& nodes);
/// Adds what it gave to `made`; false where the kernel didn't take its arguments. Throws ErrorSet.
bool finish_kernel(Node& node, KernelRun& run, std::vector<SentGradient>& made);

/// Runs the node's derivative: adds each gradient, with the edge that it goes along, to `made`.
/// Throws ErrorSet.
///
/// `waiting` are gradients that have arrived before: products are added to those that nobody sees,
/// which then are what is sent. NULL where that is not to be.
void input_gradients(Node& node, Received& received, const PassNodes& nodes, bool create_graph,
                     std::vector<SentGradient>& made, Arrivals* waiting);

}  // namespace pullback
