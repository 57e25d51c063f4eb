#include "start_backward.h"

#include "pullback/switches.h"

namespace pullback {
namespace {

/// A tensor of this engine that requires grad; none for anything else. Throws ErrorSet.
Ref<Tensor> differentiable(PyObject* value) {
    if (!Tensor::check(value)) return {};
    auto tensor = Ref<Tensor>::borrow(Tensor::cast(value));
    tensor->refresh();
    return tensor->requires_grad ? tensor : Ref<Tensor>();
}

/// Whether a gradient may flow into the output as it is.
bool fits(PyObject* seed, const Layout& output) {
    if (seed == Py_None) return output.size() == 1;
    if (!Tensor::check(seed)) return false;
    const Layout& layout = Tensor::cast(seed)->layout;
    return layout.dtype() == output.dtype() && layout.same_shape(output);
}

/// False where there is none, or one is no tensor to ask a gradient of. Throws ErrorSet.
bool read_inputs(PyObject* value, std::vector<Ref<Tensor>>& inputs) {
    if (!PyList_CheckExact(value) && !PyTuple_CheckExact(value)) {
        inputs.push_back(differentiable(value));
        return static_cast<bool>(inputs[0]);
    }
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(value); ++i) {
        inputs.push_back(differentiable(PySequence_Fast_GET_ITEM(value, i)));
        if (!inputs.back()) return false;
    }
    return !inputs.empty();
}

}  // namespace

PyRef start_backward(PyObject* output, PyObject* seed, PyObject* inputs,
                     const BackwardModes& modes) {
    const PyRef none = PyRef::borrow(Py_None);
    if (switches.observer != nullptr) return none;
    BackwardRequest request;
    request.outputs.push_back(differentiable(output));
    if (!request.outputs[0] || !fits(seed, request.outputs[0]->layout)) return none;
    request.seeds.push_back(seed == Py_None ? Ref<Tensor>()
                                            : Ref<Tensor>::borrow(Tensor::cast(seed)));
    request.all_leaves = inputs == Py_None && modes.accumulate;
    if (!request.all_leaves && !read_inputs(inputs, request.inputs)) return none;
    request.retain_graph = modes.retain_graph;
    request.create_graph = modes.create_graph;
    request.allow_unused = modes.allow_unused;
    request.accumulate = modes.accumulate;
    return tuple_of(run_backward(request));
}

PyRef tuple_of(std::vector<Ref<Tensor>> gradients) {
    PyRef result = checked(PyTuple_New(static_cast<Py_ssize_t>(gradients.size())));
    for (std::size_t i = 0; i < gradients.size(); ++i) {
        PyObject* value = gradients[i] ? gradients[i].release_object() : Py_NewRef(Py_None);
        PyTuple_SET_ITEM(result.get(), static_cast<Py_ssize_t>(i), value);
    }
    return result;
}

}  // namespace pullback
