// What a loop leaves of each turn: arrays, shapes, numbers.
#ifndef PULLBACK_KERNEL_LISTS_H_
#define PULLBACK_KERNEL_LISTS_H_

#include "kernel_places.h"

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
    void keep(int64_t count) const { size = count; }

    mutable int64_t size = 0;

  private:
    Item* items_ = nullptr;
};

// A saved value as a row of numbers: a number as it is, a shape as how many axes it has, NumPy's
// number for its dtype and the lengths of its axes, a list as its length and its elements.
constexpr int64_t kShapeRow = 2 + PB_MAX_DIMS;

template <typename T>
inline constexpr int64_t kNumpyType = TypeOf<T>::kDtype.code == kDLBool  ? 0
                                      : TypeOf<T>::kDtype.code == kDLInt ? 7
                                      : sizeof(T) == 4                   ? 11
                                                                         : 12;

template <typename Number>
int64_t packed_size(const Number&) {
    return 1;
}
PB_SETUP inline int64_t packed_size(const Shape&) { return kShapeRow; }
template <typename Item>
PB_SETUP int64_t packed_size(const List<Item>& list) {
    int64_t size = 1;
    for (int64_t k = 0; k < list.size; ++k) size += packed_size(list[k]);
    return size;
}

template <typename T, typename Row, typename Number>
Row* packed(Number value, Row* to) {
    *to = static_cast<Row>(value);
    return to + 1;
}
template <typename T, typename Row>
PB_SETUP Row* packed(const Shape& shape, Row* to) {
    to[0] = shape.ndim;
    to[1] = kNumpyType<T>;
    for (int d = 0; d < PB_MAX_DIMS; ++d) to[2 + d] = d < shape.ndim ? shape.at[d] : 0;
    return to + kShapeRow;
}
template <typename T, typename Row, typename Item>
PB_SETUP Row* packed(const List<Item>& list, Row* to) {
    *to++ = static_cast<Row>(list.size);
    for (int64_t k = 0; k < list.size; ++k) to = packed<T>(list[k], to);
    return to;
}

// Writes a value, of shapes of arrays of T, as a row of numbers.
template <typename T, typename Value, typename Row>
PB_SETUP void pack(Context& context, const Value& value, const View<Row>& row) {
    if (!computes(context, row)) return;
    context.require(packed_size(value) == row.shape.size(), PB_UNSUPPORTED,
                    "a saved value is not as large as `infer` said");
    if (context.ok()) packed<T>(value, row.data);
}

template <typename Row, typename Number>
void unpacked(const Row*& from, int64_t stride, Number& value) {
    value = static_cast<Number>(*from);
    from += stride;
}
template <typename Row>
PB_SETUP void unpacked(const Row*& from, int64_t stride, Shape& shape) {
    shape.ndim = *from < 0 ? 0 : static_cast<int>(*from);
    for (int d = 0; d < PB_MAX_DIMS; ++d) shape.at[d] = from[(2 + d) * stride];
    from += kShapeRow * stride;
}
template <typename Row, typename Item>
PB_SETUP void unpacked(const Row*& from, int64_t stride, List<Item>& list) {
    list = List<Item>(static_cast<int64_t>(*from));
    from += stride;
    for (int64_t k = 0; k < list.size; ++k) unpacked(from, stride, list[k]);
}

// The value that was packed.
template <typename Value, typename Row>
PB_SETUP Value unpack(Context& context, const View<Row>& row) {
    Value value{};
    context.require(row.data != nullptr, PB_UNSUPPORTED, "a saved value is not there");
    if (!context.ok()) return value;
    const Plain<Row>* from = row.data;
    unpacked(from, row.strides[0], value);
    return value;
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
    if (shorter.size > 0) shorter.keep(shorter.size - 1);
    return shorter;
}

// How many entries arrays have together.
template <typename T>
PB_SETUP int64_t entries(const List<View<const T>>& arrays) {
    int64_t count = 0;
    for (int64_t k = 0; k < arrays.size; ++k) count += arrays[k].shape.size();
    return count;
}

// The entries of a line from one on, as an array of this shape.
template <typename T>
PB_SETUP View<T> stretch(const View<T>& line, int64_t start, const Shape& shape) {
    View<T> part{line.data ? line.data + start * line.strides[0] : nullptr, shape, {}};
    int64_t stride = line.strides[0];
    for (int d = shape.ndim - 1; d >= 0; --d) {
        part.strides[d] = stride;
        stride *= shape.at[d];
    }
    return part;
}

// The entries of arrays on a line, one array behind the other.
template <typename T>
PB_SETUP void flatten(Context& context, const List<View<const T>>& arrays, const View<T>& line) {
    if (!computes(context, line)) return;
    int64_t start = 0;
    for (int64_t k = 0; k < arrays.size && context.ok(); ++k) {
        copy(context, arrays[k], stretch(line, start, arrays[k].shape));
        start += arrays[k].shape.size();
    }
}

// The arrays of these shapes whose entries a line has.
template <typename T>
PB_SETUP List<View<const T>> unflatten(Context& context, const View<const T>& line,
                                       const List<Shape>& shapes) {
    const List<View<const T>> parts(shapes.size);
    const bool zero = context.some_undefined && line.shape.ndim == 0;
    int64_t start = 0;
    for (int64_t k = 0; k < parts.size && context.ok(); ++k) {
        if (zero) {
            parts[k] = broadcast_to(context, line, shapes[k]);
            continue;
        }
        parts[k] = stretch(line, start, shapes[k]);
        start += shapes[k].size();
        context.require(start <= line.shape.size(), PB_INVALID, "too few entries for these shapes");
    }
    return parts;
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

// The slices along an axis, one per shape, summed to it.
template <typename T>
PB_SETUP List<View<const T>> unstack(Context& context, const View<const T>& whole,
                                     const List<Shape>& shapes, int64_t axis) {
    const List<View<const T>> parts(shapes.size);
    if (!context.ok()) return parts;
    const bool zero = context.some_undefined && whole.shape.ndim == 0;
    const int d = zero ? 0 : axis_of(context, axis, whole.shape.ndim);
    for (int64_t k = 0; k < parts.size && context.ok(); ++k) {
        if (zero)
            parts[k] = broadcast_to(context, whole, shapes[k]);
        else
            parts[k] = summed_to(context, squeeze(context, part(context, whole, d, k, 1), 1u << d),
                                 shapes[k]);
    }
    return parts;
}

// The stretches along an axis, one per shape.
template <typename T>
PB_SETUP List<View<const T>> split(Context& context, const View<const T>& whole,
                                   const List<Shape>& shapes, int64_t axis) {
    const List<View<const T>> parts(shapes.size);
    if (!context.ok()) return parts;
    const bool zero = context.some_undefined && whole.shape.ndim == 0;
    const int d = zero ? 0 : axis_of(context, axis, whole.shape.ndim);
    int64_t start = 0;
    for (int64_t k = 0; k < parts.size && context.ok(); ++k) {
        if (zero) {
            parts[k] = broadcast_to(context, whole, shapes[k]);
            continue;
        }
        const int lead = whole.shape.ndim - shapes[k].ndim;
        const int64_t extent = d < lead ? 1 : shapes[k].at[d - lead];
        parts[k] = squeeze(context, part(context, whole, d, start, extent), (1u << lead) - 1u);
        start += extent;
    }
    return parts;
}

// The same parts together again; one with fewer axes has axes of length one before its own.
template <typename T>
PB_SETUP void join_like(Context& context, const List<View<const T>>& parts, int64_t axis,
                        const View<T>& result) {
    const int d = axis_of(context, axis, result.shape.ndim);
    int64_t start = 0;
    for (int64_t k = 0; k < parts.size && context.ok(); ++k) {
        const int lead = result.shape.ndim - parts[k].shape.ndim;
        const View<const T> lifted = expand_dims(parts[k], (1u << lead) - 1u);
        const int64_t extent = lifted.shape.at[d];
        copy(context, lifted, part(context, result, d, start, extent));
        start += extent;
    }
}

// What a value is where the branch that makes it is not taken: a zero, which nobody reads.
template <typename T>
inline constexpr T kNothing{};
template <typename T>
View<const T> nothing() {
    return {&kNothing<T>, {}, {}};
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
