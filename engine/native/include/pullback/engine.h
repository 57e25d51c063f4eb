// What the engine does: calls of operators that are recorded, and the backward pass.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "pullback/node.h"

namespace pullback {

/// Sets the grad mode until the end of a scope; in inference mode nothing is recorded either way.
class GradModeGuard {
  public:
    explicit GradModeGuard(bool enabled);
    ~GradModeGuard();
    GradModeGuard(const GradModeGuard&) = delete;
    GradModeGuard& operator=(const GradModeGuard&) = delete;

  private:
    static PyRef mode(bool enabled);
    PyRef token_;
};

/// Calls a Python operator with tensors among its arguments, and records it.
/// args is a sequence, kwargs a mapping. Throws ErrorSet.
PyRef apply(PyObject* operator_object, PyObject* args, PyObject* kwargs);
/// The same for an operator without attributes on an argument per input, where nobody observes.
PyRef apply(OperatorInfo& info, std::span<PyObject* const> args);
/// Calls a compiled operator on a tuple of arrays and numbers, and a dict with all attributes:
/// arrays and NumPy's scalars, by the kernel where it takes them. Throws ErrorSet.
PyRef result_on_arrays(PyObject* operator_object, PyObject* inputs, PyObject* attributes);

/// Where the innermost frame outside this package stands.
struct Caller {
    PyRef code;  // none where no Python runs
    int instruction = 0;
};
Caller find_caller();
/// "file:line" of an instruction. Throws ErrorSet.
std::string place_of(PyObject* code, int instruction);
/// All frames outside this package, as text, into the node: anomaly mode. Throws ErrorSet.
void remember_stack(Node& node);

/// Whether this is inside of inference mode, in this thread and task. Throws ErrorSet.
bool in_inference_mode();

/// What `pb.grad` and `Tensor.backward` come down to; see
/// `pullback.engine.core.dispatch.Engine.run_backward`.
struct BackwardRequest {
    std::vector<Ref<Tensor>> outputs;
    std::vector<Ref<Tensor>> seeds;   // none: ones
    std::vector<Ref<Tensor>> inputs;  // whose gradients are wanted
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

/// np.asarray(value): a base-class array. Throws ErrorSet.
PyRef to_array(PyRef value);

}  // namespace pullback
