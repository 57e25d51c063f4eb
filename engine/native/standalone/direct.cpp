#include "direct.h"

#include <algorithm>
#include <bit>

namespace pullback::standalone {
namespace {

void record(const LibraryOperator& op, std::span<pb_value* const> inputs, std::uint32_t needed,
            pb_value& output) {
    Owned<Node> node = Node::of_call(op, inputs);
    node->uniform = true;
    if ((needed & (needed - 1)) == 0) {  // one
        node->link = op.link(static_cast<std::size_t>(std::countr_zero(needed)));
    }
    node->layouts.emplace_back(output.layout);
    node->add_output(output, 0);
    output.hang_on(std::move(node), 0);
}

}  // namespace

// What every small operator goes through.
[[gnu::flatten]] Owned<pb_value> call_directly(const LibraryOperator& op,
                                               std::span<pb_value* const> inputs) {
    LoopMemory<Graph> memory;
    Flat flat(memory);
    std::uint32_t needed = 0;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const pb_value* const value = inputs[i];
        if (value == nullptr) [[unlikely]]
            return {};
        if (!value->is_number) [[likely]] {
            if (!flat.add(value->layout, value->data)) return {};
            needed |= std::uint32_t{value->requires_grad} << i;
        } else if (!flat.add_number(value->number)) {
            return {};
        }
    }
    if (!flat.ready()) return {};
    Owned<pb_value> made = allocate_value(flat.layout(), flat.bytes());
    void* const outputs[] = {made->data};
    if (!flat.run(op.compiled->flat, outputs)) return {};
    if (needed != 0 && here.grad_enabled && op.backward != nullptr) {
        record(op, inputs, needed, *made);
    }
    return made;
}

bool differentiate_directly(const Node& node, Owned<pb_value>& gradient,
                            std::span<const std::uint8_t> needed,
                            std::span<Owned<pb_value>> gradients) {
    const LibraryOperator& op = *node.op;
    if (!node.uniform || op.compiled_backward == nullptr || !gradient) return false;
    const pb_flat_function loop = op.compiled_backward->flat;
    if (loop == nullptr) return false;
    LoopMemory<Graph> memory;
    Flat flat(memory);
    if (!flat.takes(node.layouts[0])) return false;
    for (const KernelArgument& argument : op.arguments) {
        if (argument.kind == 'l') {
            flat.add_or_skip(nullptr);
            continue;
        }
        const bool is_gradient = argument.kind == 'g';
        const pb_value* const value =
            is_gradient ? gradient.get() : node.saved[op.slot(argument)].unchanged();
        if (value == nullptr) return false;
        if (value->is_number) {
            if (!flat.add_number(value->number)) return false;
        } else {
            if (!flat.takes(value->layout)) return false;
            flat.add_or_skip(value->data);
        }
    }
    if (!flat.ready()) return false;
    const bool in_place =
        gradient->exclusive() && std::count(needed.begin(), needed.end(), 0) + 1 ==
                                     static_cast<std::ptrdiff_t>(needed.size());
    void* outputs[kMostArrays];
    for (std::size_t k = 0; k < op.gradient_inputs.size(); ++k) {
        const std::size_t input = op.gradient_inputs[k];
        if (needed[input] == 0) {
            if ((outputs[k] = flat.unneeded()) == nullptr) return false;
            continue;
        }
        gradients[input] = in_place ? gradient : allocate_value(flat.layout(), flat.bytes());
        outputs[k] = gradients[input]->data;
    }
    if (flat.run(loop, outputs)) return true;
    for (Owned<pb_value>& one : gradients) one = {};
    return false;
}

}  // namespace pullback::standalone
