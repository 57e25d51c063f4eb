// A tensor or a number, and the memory that tensors share.
#pragma once

#include <cstddef>
#include <cstdint>

#include "counted.h"
#include "pullback/engine_api.h"
#include "pullback/layout.h"
#include "pullback/surface_tensor.h"
#include "recycled.h"

namespace pullback::standalone {

struct Node;

/// Memory of the allocator. A write counts: what was saved before it is no longer there.
struct Storage : Recycled<Storage> {
    static constexpr std::size_t kSmall = 64;

    std::uint32_t owners = 1;
    std::uint32_t version = 0;
    char* begin = nullptr;
    std::size_t bytes = 0;
    alignas(16) char small[kSmall];  // a few values have no block of their own

    /// Throws Error where memory is out, or the limit is reached.
    static Owned<Storage> allocate(std::size_t bytes);
    static void destroy(Storage* storage);
};

constexpr DLDataType kFloat32{kDLFloat, 32, 1};
constexpr DLDataType kFloat64{kDLFloat, 64, 1};
constexpr DLDataType kInt64{kDLInt, 64, 1};
constexpr DLDataType kBool{kDLBool, 8, 1};

inline bool same(DLDataType a, DLDataType b) { return a.code == b.code && a.bits == b.bits; }

}  // namespace pullback::standalone

struct pb_value : pullback::standalone::Recycled<pb_value> {
    std::uint32_t owners = 1;
    bool is_number = false;
    bool requires_grad = false;
    std::uint32_t output = 0;  // among those of grad_fn
    double number = 0;
    pullback::standalone::Owned<pullback::standalone::Storage> storage;
    char* data = nullptr;
    pullback::Layout layout;
    pullback::standalone::Owned<pullback::standalone::Node> grad_fn;  // none for a leaf
    pullback::standalone::Node* leaf_node = nullptr;  // of a leaf: the node that stands for it
    pullback::Tensor grad;                            // of a leaf

    static void destroy(pb_value* value);

    DLDataType dtype() const { return pullback::to_dlpack(layout.dtype()); }
};

namespace pullback::standalone {

/// The value behind a handle. Throws Error for an empty one.
pb_value& value_of(const Tensor& tensor);
/// Likewise of a tensor: a number is refused.
pb_value& tensor_of(const Tensor& tensor);
pb_value& tensor_of(pb_value& value);

/// Its memory, as of elements of this type.
template <typename T>
T* elements(const Tensor& tensor) {
    return reinterpret_cast<T*>(tensor.get()->data);
}

Layout layout_of(const Like& like);
/// The shape of another layout, in C order.
Layout in_c_order(const Layout& layout, DType dtype);
/// Memory that is not filled yet, in C order.
Tensor allocate(const Layout& layout);
Tensor allocate(const Like& like);
/// A view over the memory of another tensor, without history.
Tensor view_over(const pb_value& source, char* data, const Layout& layout);
/// The tensor itself in C order, or a copy that is.
Tensor contiguous(const Tensor& tensor);
/// A number, or a tensor, as a tensor of this dtype.
Tensor as_dtype(const Tensor& tensor, DLDataType dtype);

/// As a kernel takes it; `strides` NULL in C order. Valid while the tensor, or the layout, is.
DLTensor dl_of(const pb_value& value);
DLTensor dl_of(void* data, const Layout& layout);

}  // namespace pullback::standalone
