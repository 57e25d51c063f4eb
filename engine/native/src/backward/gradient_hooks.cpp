#include "backward/gradient_hooks.h"

#include "backward/gradient_sum.h"
#include "base/errors.h"
#include "base/numpy_api.h"
#include "core/copied.h"
#include "fast_paths/named_operator.h"

namespace pullback {
namespace {

/// The gradient as a hook sees it: in a plain backward it can't be written to.
Ref<Tensor> for_hook(const Ref<Tensor>& gradient, bool create_graph) {
    if (create_graph) return gradient;
    PyRef view = checked(PyArray_View(as_array(gradient->array()), nullptr, nullptr));
    PyArray_CLEARFLAGS(as_array(view.get()), NPY_ARRAY_WRITEABLE);
    return Tensor::of_array(std::move(view));
}

bool fits(PyObject* gradient, const Layout& layout) {
    return Tensor::check(gradient) && Tensor::cast(gradient)->layout.same_shape(layout) &&
           Tensor::cast(gradient)->layout.dtype() == layout.dtype();
}

void call_hooks(PyObject* hooks, Ref<Tensor>& gradient, const Layout& layout, bool create_graph) {
    Ref<Tensor> current = for_hook(gradient, create_graph);
    const PyRef functions = checked(PyDict_Values(hooks));
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(functions.get()); ++i) {
        PyRef replaced =
            checked(PyObject_CallOneArg(PyList_GET_ITEM(functions.get(), i), current.object()));
        if (replaced.get() == Py_None) continue;
        if (!fits(replaced.get(), layout)) {
            const PyRef fitting = import_from("pullback.engine.core.hooks", "fitting");
            replaced = checked(PyObject_CallFunctionObjArgs(fitting.get(), replaced.get(),
                                                            current.object(),
                                                            python_like(layout).get(), nullptr));
        }
        current = Ref<Tensor>::borrow(Tensor::cast(replaced.get()));
    }
    gradient = current;
}

PyObject* hooks_on(Node& node, std::int32_t output) {
    if (node.kind == NodeKind::leaf) {
        return node.leaf->extras ? node.leaf->extras->hooks.get() : nullptr;
    }
    if (!node.extras) return nullptr;
    const auto found = node.extras->hooks.find(output);
    return found == node.extras->hooks.end() ? nullptr : found->second.get();
}

/// The number of the outputs' gradients that hooks see: hidden outputs are not shown.
std::uint32_t shown(const Node& node) {
    return node.info == nullptr ? node.outputs.size()
                                : static_cast<std::uint32_t>(node.info->n_results);
}

PyRef shown_gradient(const Ref<Tensor>& gradient, bool create_graph) {
    if (!gradient) return PyRef::borrow(Py_None);
    return PyRef::steal(for_hook(gradient, create_graph).release_object());
}

bool any_in(const PyRef& hooks) { return hooks && PyDict_GET_SIZE(hooks.get()) > 0; }

/// Calls a function of `pullback.engine.core.hooks` on hooks and what they get: a tuple of tensors.
PyRef replaced(const char* function, const PyRef& hooks, PyObject* first, PyObject* second,
               PyObject* likes) {
    const PyRef call = import_from("pullback.engine.core.hooks", function);
    const PyRef alive = hooks;
    PyRef found =
        second == nullptr
            ? checked(PyObject_CallFunctionObjArgs(call.get(), alive.get(), first, likes, nullptr))
            : checked(PyObject_CallFunctionObjArgs(call.get(), alive.get(), first, second, likes,
                                                   nullptr));
    return checked(PySequence_Tuple(found.get()));
}

Ref<Tensor> taken(PyObject* value) {
    if (value == Py_None) return {};
    return Ref<Tensor>::borrow(Tensor::cast(value));
}

}  // namespace

void call_tensor_hooks(Node& node, Received& received, bool create_graph) {
    if (!node.extras && node.kind != NodeKind::leaf) return;
    for (std::uint32_t i = 0; i < received.size(); ++i) {
        const auto output = static_cast<std::int32_t>(i);
        if (!received[i]) continue;
        PyObject* hooks = hooks_on(node, output);
        if (hooks != nullptr && PyDict_GET_SIZE(hooks) > 0) {
            const PyRef alive = PyRef::borrow(hooks);
            call_hooks(hooks, received[i], node.outputs[i].layout, create_graph);
        }
        if (!node.extras) continue;
        const auto retained = node.extras->retained.find(output);
        if (retained == node.extras->retained.end()) continue;
        PyObject* holder = PyWeakref_GetObject(retained->second.get());
        if (holder != Py_None) Tensor::cast(holder)->grad = for_grad(received[i], create_graph);
    }
}

void call_prehooks(Node& node, Received& received, bool create_graph) {
    if (!node.extras || !any_in(node.extras->prehooks)) return;
    const PyRef grad_outputs = checked(PyTuple_New(shown(node)));
    const PyRef likes = checked(PyTuple_New(shown(node)));
    for (std::uint32_t i = 0; i < shown(node); ++i) {
        PyTuple_SET_ITEM(grad_outputs.get(), i,
                         shown_gradient(received[i], create_graph).release());
        PyTuple_SET_ITEM(likes.get(), i, python_like(node.outputs[i].layout).release());
    }
    const PyRef found =
        replaced("call_prehooks", node.extras->prehooks, grad_outputs.get(), nullptr, likes.get());
    for (std::uint32_t i = 0; i < shown(node); ++i) {
        received[i] = taken(PyTuple_GET_ITEM(found.get(), i));
    }
}

PyRef for_posthooks(const Node& node, const Received& received, bool create_graph) {
    if (!node.extras || !any_in(node.extras->posthooks)) return {};
    PyRef grad_outputs = checked(PyTuple_New(shown(node)));
    for (std::uint32_t i = 0; i < shown(node); ++i) {
        PyTuple_SET_ITEM(grad_outputs.get(), i,
                         shown_gradient(received[i], create_graph).release());
    }
    return grad_outputs;
}

void call_posthooks(Node& node, PyObject* grad_outputs, std::vector<SentGradient>& made,
                    bool create_graph) {
    if (!node.extras || !any_in(node.extras->posthooks)) return;
    std::vector<const Edge*> edges;
    node.for_each_edge([&](const Edge& edge) { edges.push_back(&edge); });
    const auto count = static_cast<Py_ssize_t>(edges.size());
    const PyRef grad_inputs = checked(PyTuple_New(count));
    const PyRef likes = checked(PyTuple_New(count));
    for (Py_ssize_t i = 0; i < count; ++i) {
        const Edge& edge = *edges[static_cast<std::size_t>(i)];
        Ref<Tensor> gradient;
        for (const SentGradient& one : made) {
            if (one.edge == &edge) gradient = one.gradient;
        }
        PyTuple_SET_ITEM(grad_inputs.get(), i, shown_gradient(gradient, create_graph).release());
        const Layout none{};
        const Layout& layout =
            edge ? edge.node->outputs[static_cast<std::size_t>(edge.output)].layout : none;
        PyTuple_SET_ITEM(likes.get(), i, python_like(layout).release());
    }
    const PyRef found = replaced("call_posthooks", node.extras->posthooks, grad_inputs.get(),
                                 grad_outputs, likes.get());
    made.clear();
    for (Py_ssize_t i = 0; i < count; ++i) {
        const Edge* edge = edges[static_cast<std::size_t>(i)];
        Ref<Tensor> gradient = taken(PyTuple_GET_ITEM(found.get(), i));
        if (*edge && gradient) made.push_back({edge, std::move(gradient)});
    }
}

Ref<Tensor> owned(Ref<Tensor> gradient, bool create_graph) {
    if (create_graph && gradient->requires_grad) return gradient;
    if (gradient->exclusive() && gradient->layout.contiguous()) return gradient;
    if (create_graph) {  // it may carry a tangent
        static PyObject* with_tangent = nullptr;
        import_once(with_tangent, "pullback.engine.transforms.forward_ad", "copied");
        const PyRef copy = checked(PyObject_CallOneArg(with_tangent, gradient.object()));
        return Ref<Tensor>::borrow(Tensor::cast(copy.get()));
    }
    return copied(*gradient);
}

Ref<Tensor> for_grad(Ref<Tensor> gradient, bool create_graph) {
    if (!create_graph || !gradient->requires_grad) return owned(std::move(gradient), create_graph);
    static NamedOperator positive("positive");
    PyObject* value = gradient.object();
    const PyRef copy = checked(positive.call({&value, 1}));
    return Ref<Tensor>::borrow(Tensor::cast(copy.get()));
}

void accumulate(Tensor& tensor, Ref<Tensor> gradient, bool create_graph) {
    if (!gradient) return;
    // Python may run while a sum is made, and another thread add to the same grad: who comes second
    // adds to what the first one made.
    for (bool done = false; !done;) {
        // One with a history stays as it is: the sum is not recorded.
        if (tensor.grad && !create_graph && !tensor.grad->requires_grad) {
            if (Ref<Tensor> sum = add_directly(tensor.grad, gradient)) {
                tensor.grad = std::move(sum);
                break;
            }
        }
        const Ref<Tensor> before = tensor.grad;
        Ref<Tensor> first = before;
        Ref<Tensor> after =
            before ? sum_of(first, gradient, create_graph) : for_grad(gradient, create_graph);
        done = tensor.grad.get() == before.get();
        if (done) tensor.grad = std::move(after);
    }
    if (!tensor.extras || !any_in(tensor.extras->after_hooks)) return;
    const PyRef call = import_from("pullback.engine.core.hooks", "call_post_accumulate");
    const PyRef hooks = tensor.extras->after_hooks;
    checked(PyObject_CallFunctionObjArgs(call.get(), hooks.get(), tensor.object(), nullptr));
}

}  // namespace pullback
