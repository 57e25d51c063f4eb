// Basic indexing and reshaping: views where strides allow it.
#ifndef PULLBACK_KERNEL_INDEX_H_
#define PULLBACK_KERNEL_INDEX_H_

#include "kernel_loop.h"

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

// Python's rule for one bound of a slice.
PB_SETUP inline int64_t clamp(int64_t bound, int64_t missing, int64_t low, int64_t high,
                              int64_t extent) {
    if (bound == kNone) return missing;
    if (bound < 0) bound += extent;
    return bound < low ? low : bound > high ? high : bound;
}

template <typename T>
PB_SETUP void take_slice(Outcome& outcome, View<T>& result, int64_t extent, int64_t stride,
                         const Index& item) {
    const int to = result.shape.ndim++;
    if (!outcome.require(item.step != 0, PB_INVALID, "a slice with step 0")) return;
    const bool forward = item.step > 0;
    const int64_t low = forward ? 0 : -1;
    const int64_t high = forward ? extent : extent - 1;
    const int64_t start = clamp(item.start, forward ? low : high, low, high, extent);
    const int64_t stop = clamp(item.stop, forward ? high : low, low, high, extent);
    const int64_t span = forward ? stop - start + item.step - 1 : start - stop - item.step - 1;
    const int64_t length = span / (forward ? item.step : -item.step);
    result.shape.at[to] = length > 0 ? length : 0;
    result.strides[to] = stride * item.step;
    if (result.data && length > 0) result.data += start * stride;
}

template <typename T, int N>
PB_SETUP View<T> take(Outcome& outcome, const View<T>& view, const Index (&items)[N]) {
    View<T> result{view.data, {}, {}};
    int named = 0;
    int added = 0;
    bool open = true;
    for (const Index& item : items) {
        named += item.kind == Index::kAt || item.kind == Index::kSlice;
        added += item.kind == Index::kNewAxis;
        open = open && item.kind != Index::kEllipsis;
    }
    outcome.require(named <= view.shape.ndim, PB_INVALID, "too many indices");
    outcome.require(view.shape.ndim + added <= PB_MAX_DIMS, PB_UNSUPPORTED, "more than 8 axes");
    if (!outcome.ok()) return view;
    int from = 0;
    const auto keep = [&](int count) {
        for (; count > 0; --count, ++from) {
            const int to = result.shape.ndim++;
            result.shape.at[to] = view.shape.at[from];
            result.strides[to] = view.strides[from];
        }
    };
    for (const Index& item : items) {
        if (item.kind == Index::kEllipsis) {
            keep(view.shape.ndim - named);
        } else if (item.kind == Index::kNewAxis) {
            result.shape.at[result.shape.ndim] = 1;
            result.strides[result.shape.ndim++] = 0;
        } else if (item.kind == Index::kSlice) {
            take_slice(outcome, result, view.shape.at[from], view.strides[from], item);
            ++from;
        } else {
            const int64_t position = item.start < 0 ? item.start + view.shape.at[from] : item.start;
            const bool inside = position >= 0 && position < view.shape.at[from];
            if (!outcome.require(inside, PB_INVALID, "index out of bounds")) return view;
            if (result.data) result.data += position * view.strides[from];
            ++from;
        }
    }
    if (open) keep(view.shape.ndim - named);
    return result;
}

// `to` with every element of `from`, whose shape it has.
template <typename T, typename U>
void copy(Context& context, const View<U>& from, const View<T>& to) {
    Space<2> space(context, to.shape);
    const Rows<const Plain<U>> source = space.read(context, from);
    const Rows<T> target = space.write(context, to);
    each(context, space, [=](Loop& loop) {
        while (loop.next()) {
            const U* row = loop.row(source);
            T* to_row = loop.row(target);
            PB_SIMD
            for (int64_t i = 0; i < loop.size; ++i) to_row[i] = row[i];
        }
    });
}

template <typename T>
PB_SETUP void fill(Context& context, const View<T>& view, T value) {
    copy(context, View<const T>{&value, {}, {}}, view);
}

// The shape with its one -1, if any, replaced by what `size` elements need.
PB_SETUP inline Shape completed(Outcome& outcome, Shape shape, int64_t size) {
    int64_t known = 1;
    int open = -1;
    for (int d = 0; d < shape.ndim; ++d) {
        if (shape.at[d] == -1 && open < 0)
            open = d;
        else
            known *= shape.at[d];
    }
    if (open >= 0 && known > 0) shape.at[open] = size / known;
    outcome.require(shape.size() == size && (open < 0 || known > 0), PB_INVALID, "cannot reshape");
    return shape;
}

// The shape of a concatenation along an axis, or of a stack along a new one.
template <int N>
Shape joined(Outcome& outcome, const Shape (&parts)[N], int axis, bool stacked) {
    Shape result = parts[0];
    const int d = axis_of(outcome, axis, result.ndim + (stacked ? 1 : 0));
    if (!outcome.ok()) return result;
    for (int k = 1; k < N; ++k) {
        Shape part = parts[k];
        if (!stacked && part.ndim == result.ndim) {
            result.at[d] += part.at[d];
            part.at[d] = result.at[d];
        }
        outcome.require(part == result, PB_INVALID, "arrays to be joined differ in shape");
    }
    if (!stacked) return result;
    outcome.require(result.ndim < PB_MAX_DIMS, PB_UNSUPPORTED, "more than 8 axes");
    if (outcome.ok()) {
        for (int to = result.ndim++; to > d; --to) result.at[to] = result.at[to - 1];
        result.at[d] = N;
    }
    return result;
}

// Where part k of it lies.
template <typename T, int N>
View<T> joined_part(Outcome& outcome, const View<T>& whole, const Shape (&parts)[N], int k,
                    int axis, bool stacked) {
    if (!outcome.ok()) return whole;
    const int d = axis_of(outcome, axis, whole.shape.ndim);
    int64_t start = 0;
    for (int before = 0; before < k; ++before) start += stacked ? 1 : parts[before].at[d];
    const View<T> stretch = part(outcome, whole, d, start, stacked ? 1 : parts[k].at[d]);
    return stacked ? squeeze(outcome, stretch, 1u << d) : stretch;
}

// A view where the elements lie in C order, else a copy in the workspace.
template <typename T>
PB_SETUP View<const Plain<T>> reshape(Context& context, const View<T>& view, const Shape& shape) {
    const Shape target = completed(context, shape, view.shape.size());
    const View<Plain<T>> spare = context.scratch<Plain<T>>(view.shape);
    if (!context.ok() || view.contiguous()) return in_c_order<const Plain<T>>(view.data, target);
    copy(context, view, spare);
    return in_c_order<const Plain<T>>(spare.data, target);
}

}  // namespace pb

#endif  // PULLBACK_KERNEL_INDEX_H_
