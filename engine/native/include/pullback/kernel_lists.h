// What a loop leaves of each turn: arrays, shapes, numbers.
#ifndef PULLBACK_KERNEL_LISTS_H_
#define PULLBACK_KERNEL_LISTS_H_

#include "kernel_places.h"

namespace pb {

template <typename Item>
class List {
  public:
    explicit List(int64_t count) : size(count > 0 ? count : 0) {
        items_ = static_cast<Item*>(__builtin_malloc(static_cast<size_t>(size + 1) * sizeof(Item)));
        for (int64_t k = 0; k < size && items_; ++k) items_[k] = Item{};
        if (!items_) __builtin_trap();
    }
    ~List() { __builtin_free(items_); }
    List(const List&) = delete;
    List& operator=(const List&) = delete;

    Item& operator[](int64_t k) const { return items_[k < 0 ? k + size : k]; }
    // The same where `k` may be out of range.
    Item at(Outcome& outcome, int64_t k) const {
        const bool inside = k >= -size && k < size;
        return outcome.require(inside, PB_INVALID, "list index out of range") ? (*this)[k] : Item{};
    }

    // What a loop that ended early has collected.
    void keep(int64_t count) const { size = count; }

    mutable int64_t size;

  private:
    Item* items_;
};

// Shapes that came in as rows of numbers: how many axes, and their lengths. -1 axes: none.
constexpr int64_t kShapeRow = 1 + PB_MAX_DIMS;

PB_SETUP inline void read_shapes(const Context& context, const View<const int64_t>& rows,
                                 const List<Shape>& shapes) {
    if (!context.ok() || !rows.data) return;
    for (int64_t k = 0; k < shapes.size; ++k) {
        const int64_t* row = rows.data + k * rows.strides[0];
        shapes[k].ndim = row[0] < 0 ? 0 : static_cast<int>(row[0]);
        for (int d = 0; d < PB_MAX_DIMS; ++d) shapes[k].at[d] = row[(d + 1) * rows.strides[1]];
    }
}

PB_SETUP inline void write_shapes(const Context& context, const List<Shape>& shapes,
                                  const View<int64_t>& rows) {
    if (!computes(context, rows)) return;
    for (int64_t k = 0; k < shapes.size; ++k) {
        int64_t* row = rows.data + k * rows.strides[0];
        row[0] = shapes[k].ndim;
        for (int d = 0; d < PB_MAX_DIMS; ++d) row[(d + 1) * rows.strides[1]] = shapes[k].at[d];
    }
}

template <typename T, typename U>
PB_SETUP void read_numbers(const Context& context, const View<U>& row, const List<T>& numbers) {
    for (int64_t k = 0; k < numbers.size && context.ok() && row.data; ++k)
        numbers[k] = static_cast<T>(row.data[k * row.strides[0]]);
}

template <typename T, typename U>
PB_SETUP void write_numbers(const Context& context, const List<T>& numbers, const View<U>& row) {
    for (int64_t k = 0; k < numbers.size && computes(context, row); ++k)
        row.data[k * row.strides[0]] = static_cast<U>(numbers[k]);
}

template <typename T>
PB_SETUP void shapes_of(const List<View<const T>>& arrays, const List<Shape>& shapes) {
    for (int64_t k = 0; k < arrays.size; ++k) shapes[k] = arrays[k].shape;
}

// The shape that all broadcast to.
template <typename T>
PB_SETUP Shape broadcast_of(Outcome& outcome, const List<View<const T>>& arrays) {
    Shape result;
    for (int64_t k = 0; k < arrays.size; ++k)
        outcome.require(join(result, arrays[k].shape), PB_INVALID, "shapes do not broadcast");
    return result;
}

// The shape of arrays of one shape, along a new axis; of none, that of an empty line.
PB_SETUP inline Shape stacked(Outcome& outcome, const Shape& each, int64_t count, int64_t axis) {
    Shape result = each;
    if (count == 0) return shape_of(0);
    outcome.require(each.ndim < PB_MAX_DIMS, PB_UNSUPPORTED, "more than 8 axes");
    const int d = axis_of(outcome, axis, each.ndim + 1);
    if (!outcome.ok()) return result;
    for (int to = result.ndim++; to > d; --to) result.at[to] = result.at[to - 1];
    result.at[d] = count;
    return result;
}

// Arrays along a new axis, each broadcast.
template <typename T>
PB_SETUP void stack(Context& context, const List<View<const T>>& arrays, int64_t axis,
                    const View<T>& result) {
    const int d = arrays.size > 0 ? axis_of(context, axis, result.shape.ndim) : 0;
    for (int64_t k = 0; k < arrays.size && context.ok(); ++k)
        copy(context, arrays[k], squeeze(context, part(context, result, d, k, 1), 1u << d));
}

// The shape of arrays one behind the other along an axis.
template <typename T>
PB_SETUP Shape concatenated(Outcome& outcome, const List<View<const T>>& arrays, int64_t axis) {
    if (!outcome.require(arrays.size > 0, PB_INVALID, "nothing to concatenate")) return {};
    Shape result = arrays[0].shape;
    const int d = axis_of(outcome, axis, result.ndim);
    for (int64_t k = 1; k < arrays.size && outcome.ok(); ++k) {
        Shape next = arrays[k].shape;
        if (!outcome.require(next.ndim == result.ndim, PB_INVALID, "arrays to be joined differ"))
            return result;
        result.at[d] += next.at[d];
        next.at[d] = result.at[d];
        outcome.require(next == result, PB_INVALID, "arrays to be joined differ in shape");
    }
    return result;
}

template <typename T>
PB_SETUP void concatenate(Context& context, const List<View<const T>>& arrays, int64_t axis,
                          const View<T>& result) {
    const int d = axis_of(context, axis, result.shape.ndim);
    int64_t start = 0;
    for (int64_t k = 0; k < arrays.size && context.ok(); ++k) {
        const int64_t extent = arrays[k].shape.at[d];
        copy(context, arrays[k], part(context, result, d, start, extent));
        start += extent;
    }
}

// `to` with the sum of `from` over the axes along which it was broadcast.
template <typename T>
PB_SETUP View<const T> summed_to(Context& context, const View<const T>& from, const Shape& shape) {
    if (from.shape == shape || !context.ok()) return from;
    if (context.some_undefined && from.shape.ndim == 0) return broadcast_to(context, from, shape);
    const View<T> result = context.scratch<T>(shape);
    context.require(broadcasts(shape, from.shape), PB_INVALID, "a gradient of another shape");
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

// The slices along an axis, one per shape, summed to it.
template <typename T>
PB_SETUP void unstack(Context& context, const View<const T>& whole, const List<Shape>& shapes,
                      int64_t axis, const List<View<const T>>& parts) {
    if (!context.ok()) return;
    const bool zero = context.some_undefined && whole.shape.ndim == 0;
    const int d = zero ? 0 : axis_of(context, axis, whole.shape.ndim);
    for (int64_t k = 0; k < parts.size && context.ok(); ++k) {
        if (zero)
            parts[k] = broadcast_to(context, whole, shapes[k]);
        else
            parts[k] = summed_to(context, squeeze(context, part(context, whole, d, k, 1), 1u << d),
                                 shapes[k]);
    }
}

// The stretches along an axis, one per shape.
template <typename T>
PB_SETUP void split(Context& context, const View<const T>& whole, const List<Shape>& shapes,
                    int64_t axis, const List<View<const T>>& parts) {
    if (!context.ok()) return;
    const bool zero = context.some_undefined && whole.shape.ndim == 0;
    const int d = zero ? 0 : axis_of(context, axis, whole.shape.ndim);
    int64_t start = 0;
    for (int64_t k = 0; k < parts.size && context.ok(); ++k) {
        const int64_t extent = zero ? 0 : shapes[k].at[d];
        parts[k] =
            zero ? broadcast_to(context, whole, shapes[k]) : part(context, whole, d, start, extent);
        start += extent;
    }
}

// Sums of the arrays of two lists, place by place.
template <typename T>
PB_SETUP void add_lists(Context& context, const List<View<const T>>& a,
                        const List<View<const T>>& b, const List<View<const T>>& sums) {
    for (int64_t k = 0; k < sums.size && context.ok(); ++k) {
        const Shape shape = broadcast(context, a[k].shape, b[k].shape);
        const View<T> sum = context.scratch<T>(shape);
        const View<const T> left = broadcast_to(context, a[k], shape);
        const View<const T> right = broadcast_to(context, b[k], shape);
        sums[k] = sum.read_only();
        if (!computes(context, sum)) continue;
        each_place(shape, [&](const int64_t* index) {
            entry(sum, index) = entry(left, index) + entry(right, index);
        });
    }
}

// What a value is where the branch that makes it is not taken: a zero, which nobody reads.
template <typename T>
inline constexpr T kNothing{};
template <typename T>
View<const T> nothing() {
    return {&kNothing<T>, {}, {}};
}

// A number as an array without axes.
template <typename T>
PB_SETUP View<const T> constant(Context& context, T value) {
    const View<T> result = context.scratch<T>({});
    if (computes(context, result)) *result.data = value;
    return result.read_only();
}

// An output of a branch that is not taken: nobody reads it.
template <typename T>
PB_SETUP View<const T> absent(Context& context, int k) {
    const View<T> result = context.output<T>(k, {});
    if (computes(context, result)) *result.data = T(0);
    return result.read_only();
}

// Whether an array of one element is true.
template <typename T>
bool holds(Context& context, const View<T>& view) {
    context.require(view.shape.size() == 1, PB_INVALID, "the truth of more than one element");
    return context.ok() && !context.dry() && *view.data != Plain<T>(0);
}

// What an author raises: the caller's reference formula does, with its message.
inline void raise(Context& context, const char* message) {
    if (!context.dry()) context.fail(PB_INVALID, message);
}

}  // namespace pb

#endif  // PULLBACK_KERNEL_LISTS_H_
