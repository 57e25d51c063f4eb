#include "chain.h"

#include <algorithm>
#include <bit>

#include "pullback/numpy_api.h"

namespace pullback {
namespace {

constexpr std::int64_t kMostElements = 1 << 10;

/// Where a loop puts gradients that nobody needs. The GIL guards it.
alignas(64) char nowhere[kMostElements * sizeof(double)];

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

const Edge* run_link(const Node& node, Ref<Tensor>& gradient) {
    if (!node.uniform || node.freed) return nullptr;
    const Link& link = node.recorded->link;
    if (link.loop == nullptr) [[unlikely]] {
        if (!link.known) find_link(*node.info, *node.recorded);
        if (link.loop == nullptr) return nullptr;
    }
    const Layout& layout = gradient->layout;
    if (!layout.twin_of(node.outputs[0].layout)) return nullptr;
    const std::int64_t size = layout.size();
    if (size > kMostElements) return nullptr;

    const void* inputs[Link::kMost];
    for (std::size_t i = 0; i < link.n_inputs; ++i) {
        const LinkInput input = link.inputs[i];
        inputs[i] = input.slot < 0 ? gradient->data
                                   : node.saved[std::size_t(input.slot)].values(input.relied);
        if (inputs[i] == nullptr) return nullptr;
    }
    const Ref<Tensor> fresh = gradient->exclusive() ? Ref<Tensor>() : Tensor::allocate(layout);
    void* outputs[Link::kMost];
    for (std::size_t k = 0; k < link.n_outputs; ++k) outputs[k] = nowhere;
    outputs[link.output] = fresh ? fresh->data : gradient->data;
    const int bits = layout.dtype() == NPY_FLOAT ? 32 : 64;
    if (link.loop(bits, inputs, outputs, size) != PB_OK) return nullptr;
    if (fresh) gradient = fresh;
    return &node.edges[link.edge];
}

}  // namespace pullback
