// Basic indexing and reshaping: views where strides allow it.
#ifndef PULLBACK_KERNEL_INDEX_H_
#define PULLBACK_KERNEL_INDEX_H_

#include "pullback/kernel/loops/loop.h"

namespace pb {

constexpr int64_t kNone = INT64_MIN;  // a bound that was left out

// One item of an index.
struct Index {
    enum Kind { kAt, kSlice, kEllipsis, kNewAxis } kind;
    int64_t start = kNone;
    int64_t stop = kNone;
    int64_t step = 1;
};

inline Index at(int64_t position) { return {Index::kAt, position}; }
inline Index slice(int64_t start, int64_t stop, int64_t step = 1) {
    return {Index::kSlice, start, stop, step};
}
inline Index ellipsis() { return {Index::kEllipsis}; }
inline Index new_axis() { return {Index::kNewAxis}; }
inline Index at_if_any(int64_t position) { return position == kNone ? new_axis() : at(position); }

namespace any {

PB_RUNTIME AnyView take(Outcome& outcome, const AnyView& view, const Index* items, int count,
                        int64_t item_bytes);
PB_RUNTIME void copy(Context& context, const AnyView& from, const AnyView& to, int64_t item);
PB_RUNTIME AnyView reshape(Context& context, const AnyView& view, const Shape& shape, int64_t item);
PB_RUNTIME Shape joined(Outcome& outcome, const Shape* parts, int count, int axis, bool stacked);
PB_RUNTIME AnyView joined_part(Outcome& outcome, const AnyView& whole, const Shape* parts, int k,
                               int axis, bool stacked, int64_t item);

}  // namespace any

// Basic indexing.
template <typename T, int N>
View<T> take(Outcome& outcome, const View<T>& view, const Index (&items)[N]) {
    return typed<T>(any::take(outcome, erased(view), items, N, sizeof(T)));
}

// `to` with every element of `from`, which broadcasts to its shape.
template <typename T, typename U>
void copy(Context& context, const View<U>& from, const View<T>& to) {
    any::copy(context, erased(from), erased(to), sizeof(T));
}

template <typename T>
void fill(Context& context, const View<T>& view, T value) {
    copy(context, View<const T>{&value, {}, {}}, view);
}

// The shape with its one -1, if any, replaced by what `size` elements need.
PB_RUNTIME Shape completed(Outcome& outcome, Shape shape, int64_t size);

// The axes of a shape that a slice of step 1 takes.
PB_RUNTIME Shape part_of(const Shape& shape, const Index& slice);

// The axes of one shape, then those of another.
PB_RUNTIME Shape after_each_other(Outcome& outcome, Shape first, const Shape& second);

// The shape of a concatenation along an axis, or of a stack along a new one.
template <int N>
Shape joined(Outcome& outcome, const Shape (&parts)[N], int axis, bool stacked) {
    return any::joined(outcome, parts, N, axis, stacked);
}

// Where part k of it lies.
template <typename T, int N>
View<T> joined_part(Outcome& outcome, const View<T>& whole, const Shape (&parts)[N], int k,
                    int axis, bool stacked) {
    return typed<T>(any::joined_part(outcome, erased(whole), parts, k, axis, stacked, sizeof(T)));
}

// A view where the elements lie in C order, else a copy in the workspace.
template <typename T>
View<const Plain<T>> reshape(Context& context, const View<T>& view, const Shape& shape) {
    return typed<const Plain<T>>(any::reshape(context, erased(view), shape, sizeof(T)));
}

}  // namespace pb

#endif  // PULLBACK_KERNEL_INDEX_H_
