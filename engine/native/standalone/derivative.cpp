#include <algorithm>

#include "kernels.h"
#include "node.h"

namespace pullback::standalone {
namespace {

/// The value as it was saved. Throws Error where it was written to since.
Tensor unpacked(const Keeping& kept, const Node& node) {
    if (kept.value() && kept.changed()) {
        throw Error("SavedVariableError: a value of shape " + kept.value()->layout.shape_text() +
                    " that was saved for the derivative of " + node.op->name +
                    " has been changed in place since");
    }
    return Tensor::share(kept.value().get());
}

Tensors backward_of_defined(const LibraryOperator& op, const Saved& saved) {
    std::vector<pb_value*> inputs, outputs, gradients, made(saved.all_inputs().size(), nullptr);
    for (const Tensor& input : saved.all_inputs()) inputs.push_back(input.get());
    for (const Tensor& output : saved.all_outputs()) outputs.push_back(output.get());
    for (const Tensor& gradient : saved.all_gradients()) gradients.push_back(gradient.get());
    const pb_backward call = {inputs.size(),  outputs.size(),   inputs.data(),
                              outputs.data(), gradients.data(), saved.all_needed().data()};
    if (const char* error = op.defined->backward(op.defined->context, &call, made.data())) {
        throw Error(error);
    }
    Tensors result;
    for (pb_value* gradient : made) result.push_back(Tensor::adopt(gradient));
    return result;
}

}  // namespace

void run_backward_of(Node& node, std::span<const Tensor> received,
                     std::span<const std::uint8_t> needed, bool recorded,
                     std::span<Tensor> gradients) {
    if (node.spent) {
        throw Error("GraphFreedError: a second backward through " + node.op->name +
                    ": what it saved is gone, say retain_graph for the first");
    }
    InlineVector<Tensor, 2> inputs;
    InlineVector<Tensor, 1> outputs;
    const std::size_t n_inputs = node.edges.size();
    for (std::size_t i = 0; i < n_inputs; ++i) inputs.emplace_back(unpacked(node.saved[i], node));
    for (std::size_t i = 0; i < node.op->outputs; ++i) {
        Tensor output = unpacked(node.saved[n_inputs + i], node);
        if (output && recorded && is_float(*output.get())) {
            output = view_over(*output.get(), output.get()->data, output.get()->layout);
            output.get()->hang_on(Owned<Node>::share(&node), i);
        }
        outputs.emplace_back(std::move(output));
    }
    const GradMode mode(recorded);
    const Saved saved(node, {inputs.begin(), inputs.size()}, {outputs.begin(), outputs.size()},
                      received, needed);
    if (!recorded && run_backward_kernel(saved, gradients)) return;
    Tensors made = node.op->defined != nullptr ? backward_of_defined(*node.op, saved)
                                               : node.op->backward(saved);
    if (made.size() != node.edges.size()) {
        throw Error("RuntimeError: the backward of " + node.op->name + " gives " +
                    std::to_string(made.size()) + " gradients");
    }
    std::move(made.begin(), made.end(), gradients.begin());
}

}  // namespace pullback::standalone
