// The fast path of `pb.grad` and `backward`: arguments that need no check, and no observer.
#pragma once

#include "backward/backward.h"

namespace pullback {

/// The modes of a backward; see `BackwardRequest`.
struct BackwardModes {
    bool retain_graph;
    bool create_graph;
    bool allow_unused;
    bool accumulate;
};

/// A backward with arguments as `pb.grad` has them: `tuple_of` its gradients. `inputs` may be None
/// for all leaves, with `accumulate`. None where an argument is to be converted or is wrong, or an
/// observer is set: nothing was done then. Throws ErrorSet.
PyRef start_backward(PyObject* outputs, PyObject* seeds, PyObject* inputs,
                     const BackwardModes& modes);

/// A tuple, with None for a gradient that is undefined. Throws ErrorSet.
PyRef tuple_of(std::vector<Ref<Tensor>> gradients);

}  // namespace pullback
