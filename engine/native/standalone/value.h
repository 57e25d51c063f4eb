// A tensor or a number, and the memory that tensors share.
#pragma once

#include <cstddef>
#include <cstdint>

#include "counted.h"
#include "pullback/engine_api.h"
#include "pullback/layout.h"
#include "pullback/surface_tensor.h"
#include "thread.h"

namespace pullback::standalone {

struct Node;

/// Memory of the allocator. A write counts: what was saved before it is no longer there.
struct Storage {
    static constexpr std::size_t kSmall = 64;

    std::uint32_t owners = 1;
    std::uint32_t version = 0;
    char* begin = nullptr;
    std::size_t bytes = 0;
    Storage* next_kept = nullptr;
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

struct pb_value {
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

    pb_value* next_kept = nullptr;

    static void destroy(pb_value* value);
    /// Makes this an output of a node: it requires grad.
    void hang_on(pullback::standalone::Owned<pullback::standalone::Node> node,
                 std::size_t number_of_output);
    /// Whether only the one who asks can see the values.
    bool exclusive() const { return owners == 1 && storage->owners == 1; }

    DLDataType dtype() const { return pullback::to_dlpack(layout.dtype()); }
};

namespace pullback::standalone {

pb_value* fresh_value();
/// A value with nothing in it.
inline Owned<pb_value> make_value() {
    pb_value* value = here.values.take();
    if (value == nullptr) [[unlikely]]
        value = fresh_value();
    value->owners = 1;
    return Owned<pb_value>::adopt(value);
}
Owned<pb_value> allocate_anew(const Layout& layout, std::size_t bytes);
/// Memory that is not filled yet, in C order, of which the number of bytes is known.
inline Owned<pb_value> allocate_value(const Layout& layout, std::size_t bytes) {
    pb_value* const kept = bytes <= Storage::kSmall ? here.small_values.take() : nullptr;
    if (kept == nullptr) [[unlikely]]
        return allocate_anew(layout, bytes);
    kept->owners = 1;
    kept->storage->bytes = bytes;
    kept->data = kept->storage->small;
    kept->layout.fill(layout);
    return Owned<pb_value>::adopt(kept);
}

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
