// The backward pass: gradients from outputs to leaves.
#pragma once

#include <vector>

#include "core/tensor.h"

namespace pullback {

/// The arguments of a backward; see `pullback.engine.core.dispatch.Engine.run_backward`.
struct BackwardRequest {
    std::vector<Ref<Tensor>> outputs;
    std::vector<Ref<Tensor>> seeds;   // none: ones
    std::vector<Ref<Tensor>> inputs;  // to differentiate by
    bool all_leaves = false;          // every leaf reached, `inputs` is empty
    bool retain_graph = false;
    bool create_graph = false;
    bool allow_unused = false;
    bool accumulate = false;
};

/// The gradient of each input, none where undefined; empty with `accumulate` or `all_leaves`.
/// Throws ErrorSet.
std::vector<Ref<Tensor>> run_backward(const BackwardRequest& request);

/// The `backward_pass.BackwardPass` of the innermost backward that runs in this thread, or None.
/// Throws ErrorSet.
PyRef current_pass();

}  // namespace pullback
