#include "value.h"

#include "copy.h"
#include "node.h"
#include "pullback/allocator.h"

namespace pullback::standalone {

Owned<Storage> Storage::allocate(std::size_t bytes) {
    Storage* kept = here.storages.take();
    if (kept == nullptr) {
        free_at_end();
        kept = new Storage;
    }
    kept->owners = 1;
    auto storage = Owned<Storage>::adopt(kept);
    storage->bytes = bytes;
    storage->begin = bytes <= kSmall ? storage->small : take_block(bytes);
    if (storage->begin == nullptr) throw Error("MemoryError: no memory for a tensor");
    return storage;
}

void Storage::destroy(Storage* storage) {
    if (storage->begin != nullptr && storage->begin != storage->small) {
        give_block(storage->begin, storage->bytes);
    }
    storage->begin = nullptr;
    if (!here.storages.give(storage)) delete storage;
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
    const auto size = static_cast<std::size_t>(layout.size());
    return Tensor::adopt(allocate_value(layout, size * item_size(layout.dtype())).release());
}

pb_value* fresh_value() {
    free_at_end();
    return new pb_value;
}

Owned<pb_value> allocate_anew(const Layout& layout, std::size_t bytes) {
    Owned<pb_value> value = make_value();
    value->layout = layout;
    value->storage = Storage::allocate(bytes);
    value->data = value->storage->begin;
    return value;
}

Tensor allocate(const Like& like) { return allocate(layout_of(like)); }

Tensor view_over(const pb_value& source, char* data, const Layout& layout) {
    Owned<pb_value> view = make_value();
    view->layout = layout;
    view->storage = source.storage;
    view->data = data;
    return Tensor::adopt(view.release());
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
    using pullback::standalone::here;
    if (value->leaf_node != nullptr) {
        value->leaf_node->leaf = nullptr;
        value->leaf_node = nullptr;
    }
    if (value->grad) value->grad = {};
    value->grad_fn = {};
    value->layout.clear();
    value->is_number = value->requires_grad = false;
    const pullback::standalone::Storage* const memory = value->storage.get();
    if (memory != nullptr && memory->owners == 1 && memory->begin == memory->small) [[likely]] {
        if (!here.small_values.give(value)) delete value;
        return;
    }
    value->storage = {};
    if (!here.values.give(value)) delete value;
}
