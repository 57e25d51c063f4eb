#include "kernels.h"
#include "node.h"

namespace pullback::standalone {

bool is_float(const pb_value& value) { return !value.is_number && value.dtype().code == kDLFloat; }
namespace {

/// What a program's own operator gives.
Tensors call_defined(const LibraryOperator& op, std::span<const Tensor> inputs) {
    std::vector<pb_value*> given, made(op.outputs);
    for (const Tensor& input : inputs) given.push_back(input.get());
    if (const char* error = op.defined->forward(op.defined->context, given.data(), made.data())) {
        throw Error(error);
    }
    Tensors outputs;
    for (pb_value* output : made) outputs.push_back(Tensor::adopt(output));
    return outputs;
}

Tensors run_forward(const LibraryOperator& op, std::span<const Tensor> inputs,
                    const Attributes& attributes) {
    if (op.defined != nullptr) {
        Tensors bare;
        for (const Tensor& input : inputs) {
            bare.push_back(input.requires_grad() ? input.detach() : input);
        }
        return call_defined(op, bare);
    }
    if (op.forward != nullptr) return op.forward(Saved(op, inputs, attributes));
    return {run_kernel(op, inputs)};
}

/// A result with a history of its own, where a forward returned what it was given.
void separate(Tensor& output, std::span<const Tensor> inputs) {
    if (output.get()->is_number) output = as_dtype(output, kFloat64);
    bool mine = !output.get()->requires_grad;
    for (const Tensor& input : inputs) mine = mine && input.get() != output.get();
    if (!mine) output = view_over(*output.get(), output.get()->data, output.get()->layout);
}

void record(const LibraryOperator& op, std::span<const Tensor> inputs, std::span<Tensor> outputs,
            Attributes&& attributes) {
    std::vector<pb_value*> given;
    for (const Tensor& input : inputs) given.push_back(input.get());
    const Owned<Node> node = Node::of_call(op, given);
    node->attributes = std::move(attributes);
    for (const pb_value* input : given) {
        const bool has_layout = input != nullptr && !input->is_number;
        node->layouts.emplace_back(has_layout ? input->layout : Layout());
    }
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        pb_value& output = *outputs[i].get();
        node->add_output(output, i);
        node->layouts.emplace_back(output.layout);
        if (is_float(output)) output.hang_on(node, i);
    }
}

bool is_recorded(const LibraryOperator& op, std::span<const Tensor> inputs) {
    if (!grad_enabled() || (op.backward == nullptr && op.defined == nullptr)) return false;
    for (const Tensor& input : inputs) {
        if (input && input.get()->requires_grad) return true;
    }
    return false;
}

}  // namespace

Tensors apply(const LibraryOperator& op, std::span<const Tensor> inputs, Attributes attributes) {
    if (op.composite) return op.forward(Saved(op, inputs, attributes));
    Tensors outputs;
    {
        const GradMode off(false);
        outputs = run_forward(op, inputs, attributes);
        for (Tensor& output : outputs) separate(output, inputs);
    }
    if (is_recorded(op, inputs)) record(op, inputs, outputs, std::move(attributes));
    outputs.resize(op.results);
    return outputs;
}

}  // namespace pullback::standalone
