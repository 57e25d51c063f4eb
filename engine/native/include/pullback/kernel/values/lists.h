// Lists that a loop appends to, once per iteration: arrays, shapes, numbers.
#ifndef PULLBACK_KERNEL_LISTS_H_
#define PULLBACK_KERNEL_LISTS_H_

#include "pullback/kernel/values/branches.h"

namespace pb {

template <typename Item>
class List {
  public:
    List() = default;
    // Items begin as zeros: shapes without axes, arrays that are not there, empty lists.
    explicit List(int64_t count) : size(count > 0 ? count : 0) {
        items_ = static_cast<Item*>(__builtin_calloc(static_cast<size_t>(size + 1), sizeof(Item)));
        if (!items_) __builtin_trap();
    }
    List(const List& other) : List(other.size) {
        for (int64_t k = 0; k < size; ++k) items_[k] = other.items_[k];
    }
    List& operator=(const List& other) {
        List copy(other);
        Item* const items = items_;
        items_ = copy.items_;
        copy.items_ = items;
        const int64_t count = size;
        size = copy.size;
        copy.size = count;
        return *this;
    }
    ~List() {
        for (int64_t k = 0; k < size; ++k) items_[k].~Item();
        __builtin_free(items_);
    }

    // Out of range is an item that is nothing, for after a failure. It is never destroyed, for
    // which a kernel would need the C library's startup files.
    Item& operator[](int64_t k) const {
        alignas(Item) static unsigned char bytes[sizeof(Item)];
        Item& nothing = *reinterpret_cast<Item*>(bytes);
        const int64_t place = k < 0 ? k + size : k;
        return place >= 0 && place < size ? items_[place] : nothing = Item{};
    }
    // The same where `k` may be out of range.
    Item at(Outcome& outcome, int64_t k) const {
        const bool inside = k >= -size && k < size;
        return outcome.require(inside, PB_INVALID, "list index out of range") ? (*this)[k] : Item{};
    }

    // What a loop that ended early has collected.
    void truncate(int64_t count) const { size = count; }

    mutable int64_t size = 0;

  private:
    Item* items_ = nullptr;
};

// A list with one more item, and one without its last.
template <typename Item>
PB_SETUP List<Item> appended(const List<Item>& list, const Item& item) {
    const List<Item> longer(list.size + 1);
    for (int64_t k = 0; k < list.size; ++k) longer[k] = list[k];
    longer[list.size] = item;
    return longer;
}
template <typename Item>
PB_SETUP List<Item> without_last(const List<Item>& list) {
    List<Item> shorter(list);
    if (shorter.size > 0) shorter.truncate(shorter.size - 1);
    return shorter;
}

template <typename T>
PB_SETUP List<Shape> shapes_of(const List<View<const T>>& arrays) {
    const List<Shape> shapes(arrays.size);
    for (int64_t k = 0; k < arrays.size; ++k) shapes[k] = arrays[k].shape;
    return shapes;
}
template <typename Item>
PB_SETUP auto shapes_of(const List<List<Item>>& lists) {
    const List<decltype(shapes_of(lists[0]))> shapes(lists.size);
    for (int64_t k = 0; k < lists.size; ++k) shapes[k] = shapes_of(lists[k]);
    return shapes;
}

// The shape that all broadcast to.
template <typename T>
PB_SETUP Shape broadcast_of(Outcome& outcome, const List<View<const T>>& arrays) {
    Shape result;
    for (int64_t k = 0; k < arrays.size; ++k)
        outcome.fits(join(result, arrays[k].shape), "shapes do not broadcast");
    return result;
}

// Numbers in a row, and as arrays without axes.
template <typename T>
PB_SETUP void in_a_row(Context& context, const List<T>& numbers, const View<T>& result) {
    if (!computes(context, result)) return;
    for (int64_t k = 0; k < numbers.size; ++k) result.data[k * result.strides[0]] = numbers[k];
}
template <typename T>
PB_SETUP List<View<const T>> views_of(Context& context, const List<T>& numbers) {
    const View<T> row = context.scratch<T>(shape_of(numbers.size));
    in_a_row(context, numbers, row);
    const List<View<const T>> views(numbers.size);
    for (int64_t k = 0; k < numbers.size; ++k) views[k] = {row.data ? row.data + k : nullptr, {}, {}};
    return views;
}

// How many entries arrays have together.
template <typename T>
PB_SETUP int64_t entries(const List<View<const T>>& arrays) {
    int64_t count = 0;
    for (int64_t k = 0; k < arrays.size; ++k) count += arrays[k].shape.size();
    return count;
}

// `to` with the sum of `from` over the axes along which it was broadcast.
template <typename T>
PB_SETUP View<const T> summed_to(Context& context, const View<const T>& from, const Shape& shape) {
    if (from.shape == shape || !context.ok()) return from;
    if (context.some_undefined && from.shape.ndim == 0) return broadcast_to(context, from, shape);
    const View<T> result = context.scratch<T>(shape);
    context.fits(broadcasts(shape, from.shape), "a gradient of another shape");
    fill(context, result, T(0));
    if (!computes(context, result)) return result.read_only();
    const int lead = from.shape.ndim - shape.ndim;
    each_place(from.shape, [&](const int64_t* index) {
        int64_t to[PB_MAX_DIMS];
        for (int d = 0; d < shape.ndim; ++d) to[d] = shape.at[d] == 1 ? 0 : index[lead + d];
        entry(result, to) += entry(from, index);
    });
    return result.read_only();
}

// Zeros of these shapes, which take no memory.
template <typename T>
PB_SETUP List<View<const T>> zeros_of(Context& context, const List<Shape>& shapes) {
    const List<View<const T>> zeros(shapes.size);
    for (int64_t k = 0; k < shapes.size && context.ok(); ++k)
        zeros[k] = broadcast_to(context, nothing<T>(), shapes[k]);
    return zeros;
}

// Zeros of these shapes, and an array at one place.
template <typename T>
PB_SETUP List<View<const T>> single(Context& context, const View<const T>& array, int64_t place,
                                    const List<Shape>& shapes) {
    const List<View<const T>> parts = zeros_of<T>(context, shapes);
    const bool inside = place >= -shapes.size && place < shapes.size;
    if (context.require(inside, PB_INVALID, "list index out of range"))
        parts[place] = summed_to(context, array, shapes[place < 0 ? place + shapes.size : place]);
    return parts;
}

// Sums of the arrays of two lists, place by place. Zeros that take no memory add nothing.
template <typename T>
PB_SETUP List<View<const T>> add_lists(Context& context, const List<View<const T>>& a,
                                       const List<View<const T>>& b) {
    const List<View<const T>> sums(a.size < b.size ? a.size : b.size);
    for (int64_t k = 0; k < sums.size && context.ok(); ++k) {
        const Shape shape = broadcast(context, a[k].shape, b[k].shape);
        const View<const T> left = broadcast_to(context, a[k], shape);
        const View<const T> right = broadcast_to(context, b[k], shape);
        const bool none = left.data == &kNothing<T>;
        // While shapes are worked out nobody knows which arrays are zeros.
        if (!context.dry() && (none || right.data == &kNothing<T>)) {
            sums[k] = none ? right : left;
            continue;
        }
        const View<T> sum = context.scratch<T>(shape);
        sums[k] = sum.read_only();
        if (!computes(context, sum)) continue;
        each_place(shape, [&](const int64_t* index) {
            entry(sum, index) = entry(left, index) + entry(right, index);
        });
    }
    return sums;
}

}  // namespace pb

#endif  // PULLBACK_KERNEL_LISTS_H_
