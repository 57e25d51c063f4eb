#include "base/layout.h"

#include <algorithm>

namespace pullback {

Layout Layout::c_order(DType dtype, int ndim, const std::int64_t* shape) {
    Layout layout;
    layout.head_.dtype = dtype;
    layout.head_.ndim = static_cast<std::int8_t>(ndim);
    const DLDataType element = to_dlpack(dtype);
    if (ndim <= kInline) {
        std::copy(shape, shape + ndim, layout.inline_.begin());
    } else {
        layout.heap_ = new std::int64_t[2 * static_cast<std::size_t>(ndim)];
        std::copy(shape, shape + ndim, layout.heap_);
        layout.copy_strides(layout.heap_ + ndim);
    }
    if (element.code == kDLFloat && element.bits >= 32) {
        layout.head_.loop_bits = element.bits;
        const std::int64_t size = layout.size();
        if (size <= kMostInLoop) layout.head_.loop_size = static_cast<std::uint16_t>(size);
    }
    return layout;
}

Layout Layout::strided(DType dtype, int ndim, const std::int64_t* shape,
                       const std::int64_t* strides, bool regular) {
    Layout layout;
    layout.head_.dtype = dtype;
    layout.head_.ndim = static_cast<std::int8_t>(ndim);
    layout.head_.contiguous = false;
    layout.head_.regular = regular;
    layout.heap_ =
        new std::int64_t[2 * static_cast<std::size_t>(ndim) + 1];  // not NULL without axes
    std::copy(shape, shape + ndim, layout.heap_);
    std::copy(strides, strides + ndim, layout.heap_ + ndim);
    return layout;
}

void Layout::copy_strides(std::int64_t* strides) const {
    if (!head_.contiguous) {
        std::copy(heap_ + head_.ndim, heap_ + 2 * head_.ndim, strides);
        return;
    }
    std::int64_t stride = 1;
    for (int axis = head_.ndim - 1; axis >= 0; --axis) {
        strides[axis] = stride;
        stride *= shape(axis);
    }
}

void Layout::copy_heap(const Layout& other) {
    const auto count = 2 * static_cast<std::size_t>(head_.ndim);
    heap_ = new std::int64_t[count + 1];
    std::copy(other.heap_, other.heap_ + count, heap_);
}

std::string Layout::shape_text() const {
    std::string text = "(";
    for (int axis = 0; axis < head_.ndim; ++axis) {
        text += (axis > 0 ? ", " : "") + std::to_string(shape(axis));
    }
    return text + (head_.ndim == 1 ? ",)" : ")");
}

}  // namespace pullback
