#include "fast_paths/chain.h"

#include <algorithm>

#include "core/grad_mode.h"

namespace pullback {
namespace {

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
    const auto found =
        std::find_if(outputs.begin(), outputs.end(), [](std::int32_t input) { return input >= 0; });
    if (found == outputs.end()) return link;
    link.n_outputs = static_cast<std::uint8_t>(outputs.size());
    link.output = static_cast<std::uint8_t>(found - outputs.begin());
    link.edge = static_cast<std::uint8_t>(*found);
    link.loop = kernel.flat;
    return link;
}

}  // namespace

void find_link(const Node& node) { node.recorded->link = link_for(*node.info, *node.recorded); }

}  // namespace pullback
