#include "backward/backward.h"

#include <algorithm>
#include <utility>

#include "backward/branches.h"
#include "backward/gradient_hooks.h"
#include "backward/nested.h"
#include "base/errors.h"
#include "base/numpy_api.h"
#include "base/switches.h"
#include "core/grad_mode.h"
#include "fast_paths/chain.h"
#include "runtime/task_threads.h"

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
        std::fill_n(static_cast<float*>(tensor->data()), layout.size(), 1.0F);
    } else if (layout.dtype() == NPY_DOUBLE) {
        std::fill_n(static_cast<double*>(tensor->data()), layout.size(), 1.0);
    } else {
        const PyRef one = checked(PyLong_FromLong(1));
        checked(PyArray_FillWithScalar(as_array(tensor->array()), one.get()));
    }
    return tensor;
}

class Pass {
  public:
    explicit Pass(const BackwardRequest& request)
        : request_(request),
          targets_(edges_of(request.inputs)),
          roots_(edges_of(request.outputs)),
          nodes_(request.all_leaves ? PassNodes() : PassNodes(roots_, targets_)),
          arrivals_(request.create_graph),
          captured_(request.inputs.size()),
          outer_(std::exchange(innermost, this)) {
        try {
            start();
        } catch (...) {
            innermost = outer_;
            throw;
        }
    }
    ~Pass() { innermost = outer_; }
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;

    /// Its object in Python, made at its first use. Throws ErrorSet.
    PyRef python() {
        if (!python_) {
            const PyRef type = import_from("pullback.engine.core.backward_pass", "BackwardPass");
            const PyRef outputs = list_of(request_.outputs);
            const PyRef inputs =
                request_.all_leaves ? PyRef::borrow(Py_None) : list_of(request_.inputs);
            python_ = checked(
                PyObject_CallFunctionObjArgs(type.get(), outputs.get(), inputs.get(), nullptr));
        }
        return python_;
    }
    /// The number of passes that run in this thread, each inside of the one before.
    static int depth() {
        int found = 0;
        for (Pass* pass = innermost; pass != nullptr; pass = pass->outer_) ++found;
        return found;
    }

    static thread_local Pass* innermost;

    std::vector<Ref<Tensor>> run() {
        while (!arrivals_.empty()) {
            if (has_branches(arrivals_) && may_branch()) [[unlikely]] {
                run_branches();
                break;
            }
            const TakenArrival arrival(arrivals_.next());
            step(*arrival->node, arrival->received);
        }
        return hand_out();
    }

  private:
    static PyRef list_of(const std::vector<Ref<Tensor>>& tensors) {
        PyRef list = checked(PyList_New(static_cast<Py_ssize_t>(tensors.size())));
        for (std::size_t i = 0; i < tensors.size(); ++i) {
            PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), Py_NewRef(tensors[i].object()));
        }
        return list;
    }
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
            if (!nodes_.contains(*roots_[i].node)) continue;
            const Ref<Tensor>& seed = request_.seeds[i];
            arrivals_.send(roots_[i], seed ? seed : ones(request_.outputs[i]->layout));
        }
    }

    void capture(Node& node, const Received& received) {
        const auto first = std::lower_bound(positions_.begin(), positions_.end(),
                                            std::pair<Node*, std::size_t>(&node, 0));
        for (auto place = first; place != positions_.end() && place->first == &node; ++place) {
            const std::size_t position = place->second;
            const auto is_same = [&](const std::pair<Node*, std::size_t>& before) {
                return request_.inputs[before.second].get() == request_.inputs[position].get();
            };
            // Into one `grad` it goes once.
            if (request_.accumulate && std::any_of(first, place, is_same)) continue;
            captured_[position] = received[static_cast<std::size_t>(targets_[position].output)];
        }
    }

    void step(Node& node, Received& received) {
        Node* at = &node;
        try {
            if (!enter(node, received)) return;
            if (follow_chain(at, received)) return;
            differentiate(node, received, &arrivals_);
            for (SentGradient& one : sent_) arrivals_.send(*one.edge, std::move(one.gradient));
            leave(node);
        } catch (const ErrorSet&) {
            explain(*at);
            throw;
        }
    }

    /// Runs this node and those behind it, for as long as each passes one gradient on to one node
    /// that no other gradient can reach any more. False where the first is no such node: nothing
    /// was done. `node` becomes the last one.
    bool follow_chain(Node*& node, Received& received) {
        if (request_.create_graph || !switches.takes(FastPath::chain) || node->extras) return false;
        Ref<Tensor>& gradient = received[0];
        const auto is_defined = [](const Ref<Tensor>& one) { return bool(one); };
        if (!gradient || std::any_of(received.begin() + 1, received.end(), is_defined))
            return false;
        const auto passes = [&](const Node& next) {
            return next.kind == NodeKind::call && !next.extras && !nodes_.is_target(next) &&
                   !switches.watched;
        };
        return Chain(gradient).follow(node, arrivals_, request_.retain_graph, passes);
    }

    /// All that comes before the derivative; false where there is none to run.
    bool enter(Node& node, Received& received) {
        call_tensor_hooks(node, received, request_.create_graph);
        const bool ends_here = node.kind == NodeKind::leaf && request_.accumulate;
        if (nodes_.is_target(node) && !ends_here) {
            capture(node, received);
            if (!nodes_.leads_on(node)) return false;
        }
        if (node.extras) [[unlikely]]
            call_prehooks(node, received, request_.create_graph);
        if (ends_here) {
            end_at_leaf(node, received);
            return false;
        }
        return std::any_of(received.begin(), received.end(),
                           [](const Ref<Tensor>& gradient) { return bool(gradient); });
    }

    void leave(Node& node) {
        sent_.clear();
        if (!request_.retain_graph) node.free_saved();
    }

    bool may_branch() const {
        return !request_.create_graph && !switches.watched && task_threads() > 0;
    }

    /// The rest of the pass, with large kernels of independent branches on several threads.
    void run_branches() {
        Branches branches(arrivals_, nodes_);
        while (branches.busy()) {
            while (std::unique_ptr<Task> task = branches.back()) {
                step_back(branches, *task);
            }
            if (branches.has_ready()) step_out(branches);
        }
    }

    /// Runs a node, or hands its kernel to a worker where another node can run meanwhile.
    void step_out(Branches& branches) {
        Received received;
        const Ref<Node> node = branches.next(received);
        try {
            if (!enter(*node, received)) {
                branches.done(*node);
                return;
            }
            if (branches.worth_a_worker(received) && !node->extras) {
                if (auto run = prepare_kernel(*node, received, nodes_)) {
                    auto task = std::make_unique<Task>();
                    task->node = node;
                    for (Ref<Tensor>& one : received) task->received.emplace_back(std::move(one));
                    task->run = std::move(run);
                    branches.hand_out(std::move(task));
                    return;
                }
            }
            differentiate(*node, received);
            send_all(branches, *node);
        } catch (const ErrorSet&) {
            explain(*node);
            throw;
        }
    }

    void step_back(Branches& branches, Task& task) {
        Node& node = *task.node;
        try {
            if (!finish_kernel(node, *task.run, sent_)) differentiate(node, task.received);
            task.run.reset();
            send_all(branches, node);
        } catch (const ErrorSet&) {
            explain(node);
            throw;
        }
    }

    void send_all(Branches& branches, Node& node) {
        for (SentGradient& one : sent_) branches.send(node, *one.edge, std::move(one.gradient));
        branches.done(node);
        leave(node);
    }

    void end_at_leaf(Node& node, Received& received) {
        PyRef shown;
        if (node.extras) [[unlikely]]
            shown = for_posthooks(node, received, request_.create_graph);
        accumulate(*node.leaf, std::move(received[0]), request_.create_graph);
        if (shown) call_posthooks(node, shown.get(), sent_, request_.create_graph);
    }

    void differentiate(Node& node, Received& received, Arrivals* waiting = nullptr) {
        PyRef shown;
        if (node.extras) [[unlikely]]
            shown = for_posthooks(node, received, request_.create_graph);
        input_gradients(node, received, nodes_, request_.create_graph, sent_,
                        node.extras ? nullptr : waiting);
        if (shown) call_posthooks(node, shown.get(), sent_, request_.create_graph);
    }

    /// Notes on the error where the node came from.
    static void explain(Node& node) {
        PyObject *kind, *value, *trace;
        PyErr_Fetch(&kind, &value, &trace);
        PyErr_NormalizeException(&kind, &value, &trace);
        if (trace != nullptr) PyException_SetTraceback(value, trace);
        try {
            const PyRef explain = import_from("pullback.engine.debugging.anomaly", "explain");
            checked(PyObject_CallFunctionObjArgs(explain.get(), value, node.object(), nullptr));
        } catch (const ErrorSet&) {
            PyErr_Clear();  // the error that is under way is worth more
        }
        PyErr_Restore(kind, value, trace);
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
    const PassNodes nodes_;
    Arrivals arrivals_;
    std::vector<std::pair<Node*, std::size_t>> positions_;  // of the inputs that a node stands for
    std::vector<Ref<Tensor>> captured_;
    std::vector<SentGradient> sent_;
    Pass* const outer_;  // in this thread
    PyRef python_;
};

thread_local Pass* Pass::innermost = nullptr;

constexpr int kMostNested = 16;  // as `reentrant.MOST_NESTED`

}  // namespace

std::vector<Ref<Tensor>> run_backward(const BackwardRequest& request) {
    std::vector<Ref<Tensor>> found;
    const auto run = [&] {
        const GradModeGuard mode(request.create_graph);
        found = Pass(request).run();
    };
    if (Pass::innermost != nullptr && Pass::depth() >= kMostNested) [[unlikely]] {
        on_a_fresh_thread(run);
    } else {
        run();
    }
    return found;
}

PyRef current_pass() {
    return Pass::innermost == nullptr ? PyRef::borrow(Py_None) : Pass::innermost->python();
}

}  // namespace pullback
