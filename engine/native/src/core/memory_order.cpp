#include "core/memory_order.h"

#include <algorithm>
#include <array>

namespace pullback {

std::optional<MemoryOrder> MemoryOrder::of(std::span<const DLTensor* const> inputs) {
    const auto has_order = [](const DLTensor* input) {
        return input != nullptr && input->data != nullptr && input->ndim > 0;
    };
    const auto found = std::find_if(inputs.begin(), inputs.end(), has_order);
    if (found == inputs.end() || (*found)->strides == nullptr) return {};
    const DLTensor& first = **found;
    MemoryOrder order;
    order.ndim_ = first.ndim;
    std::copy_n(first.shape, first.ndim, order.shape_);
    std::copy_n(first.strides, first.ndim, order.strides_);
    for (const DLTensor* const input : inputs) {
        if (input == nullptr || input->ndim == 0) continue;
        if (input->ndim != first.ndim ||
            !std::equal(input->shape, input->shape + first.ndim, first.shape))
            return {};
        if (input->data == nullptr) continue;
        if (input->strides == nullptr ||
            !std::equal(input->strides, input->strides + first.ndim, first.strides))
            return {};
    }
    std::array<int, PB_MAX_DIMS> axes;
    for (int axis = 0; axis < order.ndim_; ++axis) axes[static_cast<std::size_t>(axis)] = axis;
    std::stable_sort(axes.begin(), axes.begin() + order.ndim_,
                     [&](int a, int b) { return order.strides_[a] > order.strides_[b]; });
    std::int64_t size = 1;
    for (int at = order.ndim_ - 1; at >= 0; --at) {
        const int axis = axes[static_cast<std::size_t>(at)];
        if (order.strides_[axis] != size) return {};
        size *= order.in_memory_[at] = order.shape_[axis];
    }
    return order;
}

void MemoryOrder::apply(DLTensor& array) {
    array.shape = in_memory_;
    array.strides = nullptr;
}

Layout MemoryOrder::layout(DType dtype) const {
    return Layout::strided(dtype, ndim_, shape_, strides_, true);
}

}  // namespace pullback
