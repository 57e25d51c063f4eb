#include "backward/start_backward.h"

#include "base/dtype.h"
#include "base/switches.h"

namespace pullback {
namespace {

/// A tensor of this engine that requires grad; none for anything else. Throws ErrorSet.
Ref<Tensor> differentiable(PyObject* value) {
    if (!Tensor::check(value)) return {};
    auto tensor = Ref<Tensor>::borrow(Tensor::cast(value));
    tensor->refresh();
    return tensor->requires_grad ? tensor : Ref<Tensor>();
}

/// True if a gradient may flow into the output as it is.
bool fits(PyObject* seed, const Layout& output) {
    if (seed == Py_None) return output.size() == 1 && !is_complex(output.dtype());
    if (!Tensor::check(seed)) return false;
    const Layout& layout = Tensor::cast(seed)->layout;
    return layout.dtype() == output.dtype() && layout.same_shape(output);
}

/// The items of a list or tuple; anything else is one item.
class Several {
  public:
    explicit Several(PyObject* value)
        : value_(value), many_(PyList_CheckExact(value) || PyTuple_CheckExact(value)) {}

    std::size_t size() const {
        return many_ ? static_cast<std::size_t>(PySequence_Fast_GET_SIZE(value_)) : 1;
    }
    PyObject* operator[](std::size_t i) const {
        return many_ ? PySequence_Fast_GET_ITEM(value_, static_cast<Py_ssize_t>(i)) : value_;
    }

  private:
    PyObject* value_;
    bool many_;
};

/// False where there is none, or one is no tensor that requires grad. Throws ErrorSet.
bool read(PyObject* value, std::vector<Ref<Tensor>>& tensors) {
    const Several given(value);
    tensors.reserve(given.size());
    for (std::size_t i = 0; i < given.size(); ++i) {
        tensors.push_back(differentiable(given[i]));
        if (!tensors.back()) return false;
    }
    return !tensors.empty();
}

/// A gradient per output, or None for all; false where one does not fit.
bool read_seeds(PyObject* value, BackwardRequest& request) {
    const std::vector<Ref<Tensor>>& outputs = request.outputs;
    const Several given(value);
    if (value != Py_None && given.size() != outputs.size()) return false;
    request.seeds.reserve(outputs.size());
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        PyObject* seed = value == Py_None ? value : given[i];
        if (!fits(seed, outputs[i]->layout)) return false;
        request.seeds.push_back(seed == Py_None ? Ref<Tensor>()
                                                : Ref<Tensor>::borrow(Tensor::cast(seed)));
    }
    return true;
}

}  // namespace

PyRef start_backward(PyObject* outputs, PyObject* seeds, PyObject* inputs,
                     const BackwardModes& modes) {
    const PyRef none = PyRef::borrow(Py_None);
    if (switches.observer != nullptr || !switches.has(FastPath::start_backward)) return none;
    BackwardRequest request;
    if (!read(outputs, request.outputs) || !read_seeds(seeds, request)) return none;
    request.all_leaves = inputs == Py_None && modes.accumulate;
    if (!request.all_leaves && !read(inputs, request.inputs)) return none;
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
