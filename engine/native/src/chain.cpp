#include "chain.h"

#include <algorithm>
#include <bit>

namespace pullback {
namespace {

constexpr std::int64_t kMostElements = 1 << 10;

/// Where a loop puts gradients that nobody needs. The GIL guards it.
alignas(64) char nowhere[kMostElements * sizeof(double)];

/// How the node runs in a chain; NULL where it doesn't. Throws ErrorSet.
const Link* link_of(const Node& node) {
    if (!node.uniform || node.freed) return nullptr;
    const Link& link = node.recorded->link;
    if (!link.known) [[unlikely]]
        find_link(*node.info, *node.recorded);
    return link.loop == nullptr ? nullptr : &link;
}

}  // namespace

void find_link(OperatorInfo& info, const Variant& recorded) {
    Link& link = recorded.link;
    link.known = true;
    if (info.n_results != 1 || info.list_inputs != 0 || std::popcount(recorded.needed) != 1) return;
    const Variant& variant = info.variant_to_run(1, recorded.needed);
    if (!variant.is_flat) return;
    const KernelLayout& kernel = *variant.kernel;
    for (const KernelArgument& argument : kernel.arguments) {
        LinkInput& input = link.inputs[link.n_inputs++];
        if (argument.is_cotangent) {
            if (argument.index != 0) return;
        } else if (argument.used) {
            const auto index = static_cast<std::size_t>(argument.index);
            const Slot slot = recorded.slots[index];
            if (slot == kNotSaved) return;
            if (slot >= 0) input = {slot, variant.relied[index]};
        }
    }
    const auto& outputs = kernel.outputs;
    const auto wanted =
        std::find_if(outputs.begin(), outputs.end(), [](std::int32_t input) { return input >= 0; });
    if (wanted == outputs.end()) return;
    link.n_outputs = static_cast<std::uint8_t>(outputs.size());
    link.output = static_cast<std::uint8_t>(wanted - outputs.begin());
    link.edge = static_cast<std::uint8_t>(*wanted);
    link.loop = kernel.flat;
}

const Edge* Chain::begin(const Node& node) {
    const Link* const link = link_of(node);
    const Layout& layout = gradient_->layout;
    if (link == nullptr || !layout.twin_of(node.outputs[0].layout)) return nullptr;
    size_ = layout.size();
    bits_ = layout.loop_bits();
    if (size_ > kMostElements) return nullptr;
    if (gradient_->exclusive()) return run(node, *link, gradient_->data());
    Ref<Tensor> fresh = Tensor::allocate(layout);
    const Edge* const edge = run(node, *link, fresh->data());
    if (edge != nullptr) gradient_ = std::move(fresh);
    return edge;
}

const Edge* Chain::go_on(const Node& node) {
    // A node before was uniform too: what it read is of its layout, and so is what this one gave.
    // The gradient is nobody else's.
    const Link* const link = link_of(node);
    return link == nullptr ? nullptr : run(node, *link, gradient_->data());
}

const Edge* Chain::run(const Node& node, const Link& link, void* target) {
    const void* inputs[Link::kMost];
    for (std::size_t i = 0; i < link.n_inputs; ++i) {
        const LinkInput input = link.inputs[i];
        inputs[i] = input.slot < 0 ? gradient_->data()
                                   : node.saved[std::size_t(input.slot)].values(input.relied);
        if (inputs[i] == nullptr) [[unlikely]]
            return nullptr;
    }
    void* outputs[Link::kMost];
    for (std::size_t k = 0; k < link.n_outputs; ++k) outputs[k] = nowhere;
    outputs[link.output] = target;
    if (link.loop(bits_, inputs, outputs, size_) != PB_OK) return nullptr;
    return &node.edges[link.edge];
}

}  // namespace pullback
