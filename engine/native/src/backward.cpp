// The backward pass: gradients from outputs to leaves, without recursion.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "arrivals.h"
#include "pullback/errors.h"
#include "pullback/numpy_api.h"

namespace pullback {
namespace {

/// Nodes between the roots and the targets, both included.
std::unordered_set<Node*> leading_to(const std::vector<Edge>& roots,
                                     const std::vector<Edge>& targets) {
    std::unordered_set<Node*> seen;
    std::vector<Node*> stack;
    for (const Edge& edge : roots) stack.push_back(edge.node.get());
    while (!stack.empty()) {
        Node* node = stack.back();
        stack.pop_back();
        if (!seen.insert(node).second) continue;
        for (const Edge& edge : node->edges) {
            if (edge) stack.push_back(edge.node.get());
        }
    }
    std::vector<Node*> oldest_first(seen.begin(), seen.end());
    std::sort(oldest_first.begin(), oldest_first.end(),
              [](const Node* a, const Node* b) { return a->sequence < b->sequence; });
    std::unordered_set<Node*> leading;
    for (const Edge& edge : targets) leading.insert(edge.node.get());
    for (Node* node : oldest_first) {
        const bool leads = std::any_of(
            node->edges.begin(), node->edges.end(),
            [&](const Edge& edge) { return edge && leading.contains(edge.node.get()); });
        if (leads) leading.insert(node);
    }
    return leading;
}

Ref<Tensor> ones(const Layout& layout) {
    npy_intp shape[NPY_MAXDIMS];
    std::copy(layout.shape(), layout.shape() + layout.ndim(), shape);
    PyRef array = checked(PyArray_SimpleNew(layout.ndim(), shape, layout.dtype()));
    const PyRef one = checked(PyLong_FromLong(1));
    checked(PyArray_FillWithScalar(as_array(array.get()), one.get()));
    return Tensor::of_array(std::move(array));
}

/// A gradient to keep: memory of its own, unless it is part of a graph.
Ref<Tensor> owned(const Ref<Tensor>& gradient, bool create_graph) {
    if (create_graph && gradient->requires_grad) return gradient;
    return Tensor::of_array(checked(PyArray_NewCopy(as_array(gradient->array()), NPY_KEEPORDER)));
}

/// Adds to a tensor's grad, into a new tensor: who holds the old one keeps its values.
void accumulate(Tensor& tensor, const Ref<Tensor>& gradient, bool create_graph) {
    if (!gradient) return;
    tensor.grad = tensor.grad ? add_gradients(tensor.grad, gradient, create_graph)
                              : owned(gradient, create_graph);
}

/// The gradient as a hook sees it: in a plain backward it can't be written to.
Ref<Tensor> for_hook(const Ref<Tensor>& gradient, bool create_graph) {
    if (create_graph) return gradient;
    PyRef view = checked(PyArray_View(as_array(gradient->array()), nullptr, nullptr));
    PyArray_CLEARFLAGS(as_array(view.get()), NPY_ARRAY_WRITEABLE);
    return Tensor::of_array(std::move(view));
}

void call_hooks(PyObject* hooks, Ref<Tensor>& gradient, const Layout& layout, bool create_graph) {
    Ref<Tensor> current = for_hook(gradient, create_graph);
    const PyRef functions = checked(PyDict_Values(hooks));
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(functions.get()); ++i) {
        const PyRef replaced =
            checked(PyObject_CallOneArg(PyList_GET_ITEM(functions.get(), i), current.object()));
        if (replaced.get() == Py_None) continue;
        if (!Tensor::check(replaced.get())) {
            raise(PyExc_TypeError, std::string("a hook returns a tensor or None, not ") +
                                       Py_TYPE(replaced.get())->tp_name);
        }
        current = Ref<Tensor>::borrow(Tensor::cast(replaced.get()));
        if (!current->layout.same_shape(layout)) {
            raise("GradientShapeError", "a hook replaced a gradient of shape " +
                                            layout.shape_text() + " by one of " +
                                            current->layout.shape_text());
        }
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

/// Calls the hooks on each gradient, then gives it to tensors that retain theirs.
void call_all_hooks(Node& node, Received& received, bool create_graph) {
    if (!node.extras && node.kind != NodeKind::leaf) return;
    for (std::size_t i = 0; i < received.size(); ++i) {
        const auto output = static_cast<std::int32_t>(i);
        if (!received[i]) continue;
        PyObject* hooks = hooks_on(node, output);
        if (hooks != nullptr && PyDict_GET_SIZE(hooks) > 0) {
            const PyRef kept = PyRef::borrow(hooks);
            call_hooks(hooks, received[i], node.outputs[i].layout, create_graph);
        }
        if (!node.extras) continue;
        const auto retained = node.extras->retained.find(output);
        if (retained == node.extras->retained.end()) continue;
        PyObject* holder = PyWeakref_GetObject(retained->second.get());
        if (holder != Py_None) Tensor::cast(holder)->grad = owned(received[i], create_graph);
    }
}

class Pass {
  public:
    explicit Pass(const BackwardRequest& request)
        : request_(request), arrivals_(request.create_graph), captured_(request.inputs.size()) {}

    std::vector<Ref<Tensor>> run() {
        for (std::size_t i = 0; i < request_.inputs.size(); ++i) {
            targets_.push_back(edge_of(*request_.inputs[i]));
            positions_[targets_.back().node.get()].push_back(i);
        }
        start();
        while (!arrivals_.empty()) step(*arrivals_.next());
        return hand_out();
    }

  private:
    Wanted wanted() const { return request_.all_leaves ? nullptr : &wanted_; }

    void start() {
        std::vector<Edge> roots;
        for (const Ref<Tensor>& output : request_.outputs) roots.push_back(edge_of(*output));
        if (!request_.all_leaves) wanted_ = leading_to(roots, targets_);
        for (std::size_t i = 0; i < roots.size(); ++i) {
            if (!request_.all_leaves && !wanted_.contains(roots[i].node.get())) continue;
            const Ref<Tensor>& seed = request_.seeds[i];
            arrivals_.send(roots[i], seed ? seed : ones(request_.outputs[i]->layout));
        }
    }

    void step(Arrival& arrival) {
        Node& node = *arrival.node;
        call_all_hooks(node, arrival.received, request_.create_graph);
        const auto asked = positions_.find(&node);
        if (asked != positions_.end()) {
            for (const std::size_t position : asked->second) {
                const auto output = static_cast<std::size_t>(targets_[position].output);
                captured_[position] = arrival.received[output];
            }
        }
        if (node.kind == NodeKind::leaf) {
            if (request_.all_leaves) {
                accumulate(*node.leaf, arrival.received[0], request_.create_graph);
            }
            return;
        }
        const bool any = std::any_of(arrival.received.begin(), arrival.received.end(),
                                     [](const Ref<Tensor>& gradient) { return bool(gradient); });
        if (!any) return;
        std::vector<SentGradient> sent =
            input_gradients(node, arrival.received, wanted(), request_.create_graph);
        for (SentGradient& one : sent) arrivals_.send(one.edge, std::move(one.gradient));
        if (!request_.retain_graph) node.free_saved();
    }

    std::vector<Ref<Tensor>> hand_out() {
        if (!request_.allow_unused) refuse_unused();
        std::vector<Ref<Tensor>> gradients;
        for (std::size_t i = 0; i < captured_.size(); ++i) {
            if (request_.accumulate) {
                accumulate(*request_.inputs[i], captured_[i], request_.create_graph);
            } else {
                gradients.push_back(captured_[i] ? owned(captured_[i], request_.create_graph)
                                                 : Ref<Tensor>());
            }
        }
        return gradients;
    }

    void refuse_unused() const {
        for (std::size_t i = 0; i < captured_.size(); ++i) {
            if (captured_[i]) continue;
            const Tensor& input = *request_.inputs[i];
            const bool named = input.extras && input.extras->name;
            const std::string name =
                named ? " ('" + text_of(input.extras->name.get()) + "')" : std::string();
            raise("UnusedInputError",
                  "the outputs don't depend on input " + std::to_string(i) + name +
                      ", so it has no gradient; allow_unused=True gives None for it, "
                      "materialize_grads=True zeros");
        }
    }

    const BackwardRequest& request_;
    Arrivals arrivals_;
    std::vector<Edge> targets_;  // of each input
    std::unordered_map<Node*, std::vector<std::size_t>>
        positions_;  // of the inputs that it ends at
    std::unordered_set<Node*> wanted_;
    std::vector<Ref<Tensor>> captured_;
};

}  // namespace

std::vector<Ref<Tensor>> run_backward(const BackwardRequest& request) {
    const GradModeGuard mode(request.create_graph);
    return Pass(request).run();
}

}  // namespace pullback
