// The backward pass: gradients from outputs to leaves, without recursion.
#include <algorithm>
#include <utility>

#include "arrivals.h"
#include "pullback/errors.h"
#include "pullback/numpy_api.h"

namespace pullback {
namespace {

Ref<Tensor> ones(const Layout& layout) {
    npy_intp shape[NPY_MAXDIMS];
    std::copy(layout.shape(), layout.shape() + layout.ndim(), shape);
    Ref<Tensor> tensor;
    if (item_size(layout.dtype()) > 0) {
        tensor = Tensor::allocate(Layout::c_order(layout.dtype(), layout.ndim(), shape));
    } else {
        tensor = Tensor::of_array(checked(PyArray_SimpleNew(layout.ndim(), shape, layout.dtype())));
    }
    if (layout.dtype() == NPY_FLOAT) {
        std::fill_n(static_cast<float*>(tensor->data), layout.size(), 1.0F);
    } else if (layout.dtype() == NPY_DOUBLE) {
        std::fill_n(static_cast<double*>(tensor->data), layout.size(), 1.0);
    } else {
        const PyRef one = checked(PyLong_FromLong(1));
        checked(PyArray_FillWithScalar(as_array(tensor->array()), one.get()));
    }
    return tensor;
}

/// A gradient to keep: memory of its own, unless it is part of a graph.
Ref<Tensor> owned(Ref<Tensor> gradient, bool create_graph) {
    if (create_graph && gradient->requires_grad) return gradient;
    if (gradient->exclusive() && gradient->layout.contiguous()) return gradient;
    return Tensor::of_array(checked(PyArray_NewCopy(as_array(gradient->array()), NPY_KEEPORDER)));
}

/// Adds to a tensor's grad: into a new tensor where somebody holds the old one.
void accumulate(Tensor& tensor, Ref<Tensor> gradient, bool create_graph) {
    if (!gradient) return;
    tensor.grad = tensor.grad ? add_gradients(tensor.grad, gradient, create_graph)
                              : owned(std::move(gradient), create_graph);
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
    for (std::uint32_t i = 0; i < received.size(); ++i) {
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
        : request_(request),
          targets_(edges_of(request.inputs)),
          roots_(edges_of(request.outputs)),
          wanted_(request.all_leaves ? Wanted() : Wanted(roots_, targets_)),
          arrivals_(request.create_graph),
          captured_(request.inputs.size()) {
        start();
    }

    std::vector<Ref<Tensor>> run() {
        while (!arrivals_.empty()) {
            const Turn turn(arrivals_.next());
            step(*turn);
        }
        return hand_out();
    }

  private:
    static std::vector<Edge> edges_of(const std::vector<Ref<Tensor>>& tensors) {
        std::vector<Edge> edges;
        edges.reserve(tensors.size());
        for (const Ref<Tensor>& tensor : tensors) edges.push_back(edge_of(*tensor));
        return edges;
    }

    void start() {
        for (std::size_t i = 0; i < targets_.size(); ++i) {
            positions_.emplace_back(targets_[i].node.get(), i);
        }
        std::sort(positions_.begin(), positions_.end());
        for (std::size_t i = 0; i < roots_.size(); ++i) {
            if (!wanted_.contains(*roots_[i].node)) continue;
            const Ref<Tensor>& seed = request_.seeds[i];
            arrivals_.send(roots_[i], seed ? seed : ones(request_.outputs[i]->layout));
        }
    }

    void capture(Node& node, const Received& received) {
        auto place = std::lower_bound(positions_.begin(), positions_.end(),
                                      std::pair<Node*, std::size_t>(&node, 0));
        for (; place != positions_.end() && place->first == &node; ++place) {
            const std::size_t position = place->second;
            captured_[position] = received[static_cast<std::size_t>(targets_[position].output)];
        }
    }

    void step(Arrival& arrival) {
        Node& node = *arrival.node;
        Received& received = arrival.received;
        call_all_hooks(node, received, request_.create_graph);
        if (wanted_.is_target(node)) capture(node, received);
        if (node.kind == NodeKind::leaf) {
            if (request_.all_leaves) {
                accumulate(*node.leaf, std::move(received[0]), request_.create_graph);
            }
            return;
        }
        const bool any = std::any_of(received.begin(), received.end(),
                                     [](const Ref<Tensor>& gradient) { return bool(gradient); });
        if (!any) return;
        input_gradients(node, received, wanted_, request_.create_graph, sent_);
        for (SentGradient& one : sent_) arrivals_.send(*one.edge, std::move(one.gradient));
        sent_.clear();
        if (!request_.retain_graph) node.free_saved();
    }

    std::vector<Ref<Tensor>> hand_out() {
        if (!request_.allow_unused) refuse_unused();
        std::vector<Ref<Tensor>> gradients;
        for (std::size_t i = 0; i < captured_.size(); ++i) {
            if (request_.accumulate) {
                accumulate(*request_.inputs[i], std::move(captured_[i]), request_.create_graph);
            } else {
                gradients.push_back(captured_[i]
                                        ? owned(std::move(captured_[i]), request_.create_graph)
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
    const std::vector<Edge> targets_;  // of each input
    const std::vector<Edge> roots_;    // of each output
    const Wanted wanted_;
    Arrivals arrivals_;
    std::vector<std::pair<Node*, std::size_t>> positions_;  // of the inputs that a node stands for
    std::vector<Ref<Tensor>> captured_;
    std::vector<SentGradient> sent_;
};

}  // namespace

std::vector<Ref<Tensor>> run_backward(const BackwardRequest& request) {
    const GradModeGuard mode(request.create_graph);
    return Pass(request).run();
}

}  // namespace pullback
