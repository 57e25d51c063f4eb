#include "graph.h"

#include <algorithm>

#include "pullback/engine.h"
#include "pullback/errors.h"
#include "pullback/numpy_api.h"

namespace pullback {
namespace {

/// The sum by its kernel, in the engine's memory; none where it doesn't take these types.
Ref<Tensor> add_by_kernel(Ref<Tensor>& before, const Tensor& gradient) {
    OperatorInfo& info = OperatorInfo::accumulate();
    if (!info.kernel || !before->layout.twin_of(gradient.layout)) return {};
    Launch launch(*info.kernel);
    const KernelArgument* const arguments = info.kernel->arguments.data();
    if (!launch.add(arguments[0], Operand::of(*before)) ||
        !launch.add(arguments[1], Operand::of(gradient))) {
        return {};
    }
    if (before->exclusive()) launch.write_over(0, before);
    LaunchOutputs sum;
    return launch.run(sum) ? std::move(sum[0]) : Ref<Tensor>{};
}

/// The link of nodes that were recorded for this variant; one without a loop where they have none.
Link link_for(OperatorInfo& info, const Variant& recorded) {
    Link link;
    link.known = true;
    if (info.n_results != 1 || !info.list_inputs.empty() || recorded.needed.size() != 1) {
        return link;
    }
    const Variant& variant = info.variant_to_run(Mask{1}, recorded.needed);
    if (!variant.is_flat) return link;
    const KernelLayout& kernel = *variant.kernel;
    for (const KernelArgument& argument : kernel.arguments) {
        LinkInput& input = link.inputs[link.n_inputs++];
        if (argument.is_cotangent) {
            if (argument.index != 0) return link;
        } else if (argument.used) {
            const auto index = static_cast<std::size_t>(argument.index);
            const Slot slot = recorded.slots[index];
            if (slot == kNotSaved) return link;
            if (slot >= 0) input = {slot, variant.relied[index]};
        }
    }
    const auto& outputs = kernel.outputs;
    const auto wanted =
        std::find_if(outputs.begin(), outputs.end(), [](std::int32_t input) { return input >= 0; });
    if (wanted == outputs.end()) return link;
    link.n_outputs = static_cast<std::uint8_t>(outputs.size());
    link.output = static_cast<std::uint8_t>(wanted - outputs.begin());
    link.edge = static_cast<std::uint8_t>(*wanted);
    link.loop = kernel.flat;
    return link;
}

}  // namespace

std::uint64_t PythonGraph::marks = 0;
bool PythonGraph::marked = false;
PythonGraph::KeptArrivals PythonGraph::arrivals;
alignas(64) double PythonGraph::memory[kMostArrays][kMostSpare];

void PythonGraph::find_link(const Node& node) {
    node.recorded->link = link_for(*node.info, *node.recorded);
}

Ref<Tensor> PythonGraph::sum(Ref<Tensor>& before, const Ref<Tensor>& gradient, bool create_graph) {
    if (!create_graph) {
        if (Ref<Tensor> sum = add_directly(before, gradient)) return sum;
        if (Ref<Tensor> sum = add_by_kernel(before, *gradient)) return sum;
        return Tensor::of_array(
            to_array(checked(PyNumber_Add(before->array(), gradient->array()))));
    }
    static PyObject* call = nullptr;
    import_once(call, "pullback.engine.call", "call");
    const Ref<Tensor> kept = before;
    const PyRef sum =
        checked(PyObject_CallFunction(call, "sOO", "accumulate", kept.object(), gradient.object()));
    return Ref<Tensor>::borrow(Tensor::cast(sum.get()));
}

}  // namespace pullback
