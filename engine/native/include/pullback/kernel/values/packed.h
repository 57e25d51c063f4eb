// Saved values as rows of numbers, and the other way round.
#ifndef PULLBACK_KERNEL_PACKED_H_
#define PULLBACK_KERNEL_PACKED_H_

#include "pullback/kernel/values/lists.h"

namespace pb {

// A saved value as a row of numbers: a number as it is, a shape as how many axes it has, NumPy's
// number for its dtype and the lengths of its axes, an item of an index as its kind and bounds, a
// list as its length and its elements.
constexpr int64_t kShapeRow = 2 + PB_MAX_DIMS;
constexpr int64_t kIndexRow = 4;

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
PB_SETUP inline int64_t packed_size(const Index&) { return kIndexRow; }
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
template <typename T, typename Row>
PB_SETUP Row* packed(const Index& index, Row* to) {
    to[0] = index.kind;
    to[1] = index.start;
    to[2] = index.stop;
    to[3] = index.step;
    return to + kIndexRow;
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
template <typename Row>
PB_SETUP void unpacked(const Row*& from, int64_t stride, Index& index) {
    index.kind = static_cast<Index::Kind>(*from);
    index.start = from[stride];
    index.stop = from[2 * stride];
    index.step = from[3 * stride];
    from += kIndexRow * stride;
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

}  // namespace pb

#endif  // PULLBACK_KERNEL_PACKED_H_
