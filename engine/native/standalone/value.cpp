#include "value.h"

#include "copy.h"
#include "node.h"
#include "pullback/allocator.h"

namespace pullback::standalone {

Owned<Storage> Storage::allocate(std::size_t bytes) {
    auto storage = Owned<Storage>::adopt(new Storage);
    storage->bytes = bytes;
    storage->begin = bytes <= kSmall ? storage->small : take_block(bytes);
    if (storage->begin == nullptr) throw Error("MemoryError: no memory for a tensor");
    return storage;
}

void Storage::destroy(Storage* storage) {
    if (storage->begin != nullptr && storage->begin != storage->small) {
        give_block(storage->begin, storage->bytes);
    }
    delete storage;
}

pb_value& value_of(const Tensor& tensor) {
    if (!tensor) throw Error("TypeError: an empty tensor");
    return *tensor.get();
}

pb_value& tensor_of(const Tensor& tensor) { return tensor_of(value_of(tensor)); }

pb_value& tensor_of(pb_value& value) {
    if (value.is_number) throw Error("TypeError: a tensor was expected, and not a number");
    return value;
}

Layout layout_of(const Like& like) {
    return Layout::c_order(from_dlpack(like.dtype), static_cast<int>(like.shape.size()),
                           like.shape.data());
}

Layout in_c_order(const Layout& layout, DType dtype) {
    return Layout::c_order(dtype, layout.ndim(), layout.shape());
}

Tensor allocate(const Layout& layout) {
    Tensor tensor = Tensor::adopt(new pb_value);
    pb_value& value = *tensor.get();
    value.layout = layout;
    value.storage =
        Storage::allocate(static_cast<std::size_t>(layout.size()) * item_size(layout.dtype()));
    value.data = value.storage->begin;
    return tensor;
}

Tensor allocate(const Like& like) { return allocate(layout_of(like)); }

Tensor view_over(const pb_value& source, char* data, const Layout& layout) {
    Tensor tensor = Tensor::adopt(new pb_value);
    pb_value& value = *tensor.get();
    value.layout = layout;
    value.storage = source.storage;
    value.data = data;
    return tensor;
}

Tensor contiguous(const Tensor& tensor) {
    const pb_value& value = tensor_of(tensor);
    if (value.layout.contiguous()) return tensor;
    Tensor copy = allocate(in_c_order(value.layout, value.layout.dtype()));
    copy_values(value, *copy.get());
    return copy;
}

Tensor as_dtype(const Tensor& tensor, DLDataType dtype) {
    const pb_value& value = value_of(tensor);
    if (value.is_number) {
        Tensor made = allocate(Like{dtype, {}});
        fill(*made.get(), value.number);
        return made;
    }
    if (same(value.dtype(), dtype)) return tensor;
    Tensor made = allocate(in_c_order(value.layout, from_dlpack(dtype)));
    copy_values(value, *made.get());
    return made;
}

DLTensor dl_of(const pb_value& value) { return dl_of(value.data, value.layout); }

DLTensor dl_of(void* data, const Layout& layout) {
    return {data,
            {kDLCPU, 0},
            layout.ndim(),
            to_dlpack(layout.dtype()),
            const_cast<std::int64_t*>(layout.shape()),
            const_cast<std::int64_t*>(layout.strides()),
            0};
}

}  // namespace pullback::standalone

void pb_value::destroy(pb_value* value) {
    if (value->leaf_node != nullptr) value->leaf_node->leaf = nullptr;
    delete value;
}
