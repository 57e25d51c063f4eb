#include "backward/derivative.h"

#include <algorithm>

#include "base/errors.h"
#include "base/numpy_api.h"
#include "base/switches.h"
#include "fast_paths/index_gradient.h"
#include "fast_paths/move_gradient.h"
#include "fast_paths/small_pointwise.h"
#include "fast_paths/view_gradient.h"

namespace pullback {
namespace {

[[noreturn]] void raise_freed(const Node& node) {
    raise("GraphFreedError",
          "backward came through " + node.name() + " a second time (called at " + node.called_at() +
              "), and what it saved was let go after the first. Pass retain_graph=True to every "
              "backward or grad call but the last, or compute the forward again");
}

bool leads(const Edge& edge, const PassNodes& nodes) { return edge && nodes.contains(*edge.node); }

Mask needed_inputs(const Node& node, const PassNodes& nodes) {
    Mask needed;
    for (std::int32_t i = 0; i < node.info->n_inputs; ++i) {
        const EdgeRange range = node.range(static_cast<std::uint32_t>(i));
        for (std::uint32_t k = 0; k < range.count; ++k) {
            if (leads(node.edges[range.begin + k], nodes)) needed.add(i);
        }
    }
    return needed;
}

PyRef zeros(const Layout& layout) {
    npy_intp shape[NPY_MAXDIMS];
    std::copy(layout.shape(), layout.shape() + layout.ndim(), shape);
    return checked(PyArray_ZEROS(layout.ndim(), shape, layout.dtype(), 0));
}

/// A gradient as the variant takes it: a tensor to be recorded, else an array.
PyRef cotangent(const Ref<Tensor>& gradient, const Output& output, bool materialize, bool record) {
    if (gradient) {
        return PyRef::borrow(record ? gradient.object() : gradient->array());
    }
    if (!materialize) return PyRef::borrow(Py_None);
    PyRef array = zeros(output.layout);
    if (!record) return array;
    return PyRef::steal(Tensor::of_array(std::move(array)).release_object());
}

Mask defined_outputs(const Received& received) {
    Mask defined;
    for (std::uint32_t i = 0; i < received.size(); ++i) {
        if (received[i]) defined.add(i);
    }
    return defined;
}

/// Calls the variant's Python: on tensors to be recorded, else on arrays.
PyRef call_variant(Node& node, const Variant& variant, const Received& received, bool record) {
    const auto count = static_cast<Py_ssize_t>(received.size());
    const PyRef cotangents = checked(PyList_New(count));
    for (Py_ssize_t i = 0; i < count; ++i) {
        const auto index = static_cast<std::size_t>(i);
        const bool materialize = variant.materialize.has(i);
        PyRef value = cotangent(received[index], node.outputs[index], materialize, record);
        PyList_SET_ITEM(cotangents.get(), i, value.release());
    }
    const PyRef saved = checked(PyList_New(static_cast<Py_ssize_t>(node.info->saved.size())));
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(saved.get()); ++i) {
        PyList_SET_ITEM(saved.get(), i, Py_NewRef(Py_None));
    }
    for (const std::int32_t read : variant.reads) {
        checked(
            PyList_SetItem(saved.get(), read,
                           node.unpack(read, record, variant.relied[std::size_t(read)]).release()));
    }
    // Where the engine has no launch of its own, Python calls the kernel.
    const bool from_python = record || variant.kernel == nullptr;
    const PyRef call = PyRef::borrow(from_python ? variant.call : variant.closure);
    PyRef gradients =
        checked(PyObject_CallFunctionObjArgs(call.get(), saved.get(), cotangents.get(), nullptr));
    return checked(PySequence_Tuple(gradients.get()));
}

/// Gives the variant's kernel its arguments; false where it doesn't take them.
bool add_arguments(Launch& launch, Node& node, const Variant& variant, const Received& received) {
    const auto defined = std::find_if(received.begin(), received.end(),
                                      [](const Ref<Tensor>& gradient) { return bool(gradient); });
    // A pointwise kernel reads zeros for what only gradients depend on that nobody needs.
    const Operand unread{&(*defined)->layout, nullptr, nullptr};
    for (const KernelArgument& argument : variant.kernel->arguments) {
        Operand operand;
        PyRef made;
        if (!argument.used) {
            operand = unread;
        } else if (!argument.is_cotangent) {
            operand = node.operand(argument.index, variant.relied[std::size_t(argument.index)]);
        } else if (const auto& gradient = received[static_cast<std::size_t>(argument.index)]) {
            operand = Operand::of(*gradient);
        } else if (variant.materialize.has(argument.index)) {
            made = zeros(node.outputs[static_cast<std::size_t>(argument.index)].layout);
            operand.value = made.get();
        }
        if (!launch.add(argument, operand)) return false;
    }
    return true;
}

/// Has the kernel add to what its gradients would be added to.
void add_onto_what_waits(Launch& launch, const Node& node, const Variant& variant,
                         Arrivals& waiting) {
    for (std::size_t k = 0; k < variant.kernel->outputs.size(); ++k) {
        if (variant.kernel->outputs[k] < 0) continue;
        const auto input = static_cast<std::uint32_t>(variant.kernel->outputs[k]);
        const EdgeRange range = node.range(input);
        if (range.count == 0 || !node.edges[range.begin]) continue;
        Ref<Tensor>* before = waiting.at(node.edges[range.begin]);
        if (before != nullptr && *before && (*before)->exclusive()) launch.add_onto(k, *before);
    }
}

/// Runs the variant's kernel; false where it doesn't take these values.
bool run_kernel(Node& node, const Variant& variant, const Received& received,
                LaunchOutputs& gradients, Arrivals* waiting) {
    Launch launch(*variant.kernel);
    if (!add_arguments(launch, node, variant, received)) return false;
    if (waiting != nullptr) add_onto_what_waits(launch, node, variant, *waiting);
    launch.may_leave_products();
    return launch.run(gradients);
}

[[noreturn]] void raise_shape(const Node& node, std::int32_t position, const Layout& got,
                              const Layout& expected) {
    raise("GradientShapeError",
          node.formula_place() + ": " + node.name() + " gave a gradient of shape " +
              got.shape_text() + " for its input '" + node.info->input_name(position) +
              "' of shape " + expected.shape_text() + " (called at " + node.called_at() + ")");
}

/// The gradient in its input's dtype; its shape must be the input's.
Ref<Tensor> checked_gradient(const Node& node, std::uint32_t position, const Edge& edge,
                             Ref<Tensor> gradient, bool record) {
    const Layout& expected = edge.node->outputs[static_cast<std::size_t>(edge.output)].layout;
    if (!gradient->layout.same_shape(expected)) {
        raise_shape(node, static_cast<std::int32_t>(position), gradient->layout, expected);
    }
    if (gradient->layout.dtype() == expected.dtype()) return gradient;
    auto descr = PyRef::steal(reinterpret_cast<PyObject*>(PyArray_DescrFromType(expected.dtype())));
    PyObject* source = record ? gradient.object() : gradient->array();
    static PyObject* in_dtype = nullptr;
    import_once(in_dtype, "pullback.engine.core.complex_values", "in_dtype");
    const PyRef cast =
        checked(PyObject_CallFunctionObjArgs(in_dtype, source, descr.get(), nullptr));
    return Tensor::check(cast.get()) ? Ref<Tensor>::borrow(Tensor::cast(cast.get()))
                                     : Tensor::of_array(to_array(cast));
}

Ref<Tensor> tensor_of(PyObject* value) {
    if (Tensor::check(value)) return Ref<Tensor>::borrow(Tensor::cast(value));
    return Tensor::of_array(to_array(PyRef::borrow(value)));
}

/// Each gradient that Python gave with the edge that it goes along.
void sort_gradients(const Node& node, PyObject* gradients, const Mask& needed,
                    const PassNodes& nodes, bool record, std::vector<SentGradient>& made) {
    if (PyTuple_GET_SIZE(gradients) != node.info->n_inputs) {
        raise(PyExc_ValueError, node.name() + ": the backward must return a gradient per input");
    }
    for (std::uint32_t i = 0; i < std::uint32_t(node.info->n_inputs); ++i) {
        PyObject* gradient = PyTuple_GET_ITEM(gradients, i);
        if (gradient == Py_None || !needed.has(i)) continue;
        const EdgeRange range = node.range(i);
        const bool is_list = PyList_Check(gradient) || PyTuple_Check(gradient);
        const Py_ssize_t parts = is_list ? PySequence_Fast_GET_SIZE(gradient) : 1;
        if (parts != static_cast<Py_ssize_t>(range.count)) {
            raise(PyExc_ValueError, node.name() + ": the backward gave " + std::to_string(parts) +
                                        " gradients for a list of " + std::to_string(range.count));
        }
        for (std::uint32_t k = 0; k < range.count; ++k) {
            PyObject* part = is_list ? PySequence_Fast_GET_ITEM(gradient, k) : gradient;
            const Edge& edge = node.edges[range.begin + k];
            if (part == Py_None || !leads(edge, nodes)) continue;
            made.push_back({&edge, checked_gradient(node, i, edge, tensor_of(part), record)});
        }
    }
}

/// Each gradient that a kernel gave with the edge that it goes along.
void sort_computed(const Node& node, const Variant& variant, LaunchOutputs& computed,
                   std::vector<SentGradient>& made) {
    for (std::uint32_t k = 0; k < computed.size(); ++k) {
        if (!computed[k]) continue;
        const auto input = static_cast<std::uint32_t>(variant.kernel->outputs[k]);
        const Edge& edge = node.edges[node.range(input).begin];
        made.push_back({&edge, checked_gradient(node, input, edge, std::move(computed[k]), false)});
    }
}

/// Sends the result's gradient on as it is to inputs that take it so. Returns those that it sent to.
Mask pass_on(const Node& node, const Received& received, const Mask& needed,
             const PassNodes& nodes, std::vector<SentGradient>& made) {
    Mask passed;
    const Mask inputs = node.info->passed_on & needed;
    if (inputs.empty() || !received[0] || !received[0]->layout.contiguous()) return passed;
    for (std::int32_t i = 0; i < node.info->n_inputs; ++i) {
        const EdgeRange range = node.range(static_cast<std::uint32_t>(i));
        if (!inputs.has(i) || range.count != 1 || !leads(node.edges[range.begin], nodes)) continue;
        const Edge& edge = node.edges[range.begin];
        const Layout& expected = edge.node->outputs[static_cast<std::size_t>(edge.output)].layout;
        const Layout& given = received[0]->layout;
        if (given.dtype() != expected.dtype() || !given.same_shape(expected)) continue;
        made.push_back({&edge, received[0]});
        passed.add(i);
    }
    return passed;
}

/// Makes the gradients usable, and refuse to be differentiated.
void put_behind_barrier(const Node& node, const Received& received,
                        std::vector<SentGradient>& made) {
    Ref<Node> barrier = Node::make(NodeKind::barrier);
    barrier->operator_object = node.operator_object;
    barrier->info = node.info;
    for (const Edge& edge : node.edges) barrier->edges.emplace_back(edge);
    for (const Ref<Tensor>& gradient : received) {
        if (gradient) barrier->edges.emplace_back(edge_of(*gradient));
    }
    for (std::size_t i = 0; i < made.size(); ++i) {
        Ref<Tensor> hung = made[i].gradient->detach();
        barrier->outputs.emplace_back(hung->layout, true);
        hung->hang_on(barrier, static_cast<std::int32_t>(i));
        made[i].gradient = std::move(hung);
    }
}

/// In anomaly mode: nodes that are recorded until the end of the scope come from this one.
class Origin {
  public:
    explicit Origin(const Node& node) {
        if (!switches.anomaly) return;
        PyObject* stack = node.extras ? node.extras->stack.get() : nullptr;
        if (stack != nullptr) token_ = checked(PyContextVar_Set(variable(), stack));
    }
    ~Origin() {
        if (!token_) return;
        PyObject *kind, *value, *trace;
        PyErr_Fetch(&kind, &value, &trace);
        PyContextVar_Reset(variable(), token_.get());
        PyErr_Restore(kind, value, trace);
    }
    Origin(const Origin&) = delete;
    Origin& operator=(const Origin&) = delete;

  private:
    static PyObject* variable() {
        static PyObject* running_variable = nullptr;
        import_once(running_variable, "pullback.engine.debugging.anomaly", "RUNNING");
        return running_variable;
    }

    PyRef token_;
};

/// Throws ErrorSet, with AnomalyError, where there is a NaN among the gradients.
void check_nan(Node& node, const std::vector<SentGradient>& made) {
    static PyObject* check = nullptr;
    import_once(check, "pullback.engine.debugging.anomaly", "check_nan");
    const PyRef gradients = checked(PyList_New(0));
    for (const SentGradient& one : made) {
        checked(PyList_Append(gradients.get(), one.gradient.object()));
    }
    checked(PyObject_CallFunctionObjArgs(check, node.object(), gradients.get(), nullptr));
}

}  // namespace

std::unique_ptr<KernelRun> prepare_kernel(Node& node, const Received& received,
                                          const PassNodes& nodes) {
    if (node.kind != NodeKind::call || node.freed || node.packed) return nullptr;
    const Variant& variant =
        node.info->variant_to_run(defined_outputs(received), needed_inputs(node, nodes));
    if (!variant.kernel) return nullptr;
    auto run = std::make_unique<KernelRun>(node, variant);
    if (!add_arguments(run->launch, node, variant, received)) return nullptr;
    if (!run->launch.prepare(run->computed)) return nullptr;
    return run;
}

bool finish_kernel(Node& node, KernelRun& run, std::vector<SentGradient>& made) {
    if (!run.launch.finish(run.computed)) return false;
    sort_computed(node, run.variant, run.computed, made);
    return true;
}

void input_gradients(Node& node, Received& received, const PassNodes& nodes, bool create_graph,
                     std::vector<SentGradient>& made, Arrivals* waiting) {
    if (node.kind == NodeKind::barrier) raise_barrier(node);
    if (node.freed) raise_freed(node);
    const Running running(node);
    const Origin origin(node);
    Mask needed = needed_inputs(node, nodes);
    const bool record = create_graph && !node.info->has_barrier;
    const Variant* variant = &node.info->variant_to_run(defined_outputs(received), needed);
    Arrivals* const to_add_to = switches.check_nan ? nullptr : waiting;
    if (!create_graph && !node.packed) {
        bool done =
            differentiate_small_pointwise(node, *variant, received, made) ||
            differentiate_view(node, received, made, to_add_to) ||
            differentiate_index(node, received, made) || differentiate_move(node, received, made);
        if (!done) {
            const Mask passed = pass_on(node, received, needed, nodes, made);
            needed = needed - passed;
            done = needed.empty();
            if (!done && !passed.empty()) {
                variant = &node.info->variant_to_run(defined_outputs(received), needed);
            }
        }
        if (done) {
            if (switches.check_nan) check_nan(node, made);
            return;
        }
    }
    LaunchOutputs computed;
    if (!record && !node.packed && variant->kernel &&
        run_kernel(node, *variant, received, computed, to_add_to)) {
        sort_computed(node, *variant, computed, made);
    } else {
        const PyRef gradients = call_variant(node, *variant, received, record);
        sort_gradients(node, gradients.get(), needed, nodes, record, made);
    }
    // Gradients of one value are added in the order of the inputs.
    std::ranges::sort(made, {}, &SentGradient::edge);
    if (create_graph && !record) put_behind_barrier(node, received, made);
    if (switches.check_nan) check_nan(node, made);
}

}  // namespace pullback
