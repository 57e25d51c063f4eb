// Arrays entry by entry, for what no loop over rows does: entries repeated, rolled, cut off, picked
// by position, and sums over the copies of an entry.
#ifndef PULLBACK_KERNEL_PLACES_H_
#define PULLBACK_KERNEL_PLACES_H_

#include "pullback/kernel/indexing/index.h"

namespace pb {

// Calls `body(index)` for every place of a shape, in C order.
template <typename Body>
void each_place(const Shape& shape, const Body& body) {
    int64_t index[PB_MAX_DIMS] = {};
    const int64_t size = shape.size();
    for (int64_t i = 0; i < size; ++i) {
        body(static_cast<const int64_t*>(index));
        for (int d = shape.ndim - 1; d >= 0 && ++index[d] == shape.at[d]; --d) index[d] = 0;
    }
}

// The shape of the lines along an axis: one place for each.
PB_SETUP inline Shape lines_of(Shape shape, int axis) {
    if (shape.ndim > 0) shape.at[axis] = shape.at[axis] > 0 ? 1 : 0;
    return shape;
}

template <typename T>
T& entry(const View<T>& view, const int64_t* index) {
    T* place = view.data;
    for (int d = 0; d < view.shape.ndim; ++d) place += index[d] * view.strides[d];
    return *place;
}

// True if there is anything to compute: data on both sides, and nothing went wrong.
template <typename T>
bool computes(const Context& context, const View<T>& result) {
    return context.ok() && !context.dry() && result.data;
}

// The position before repetition of position `at` after it: each `repeats[i]` times, or all
// `repeats[0]` times.
template <int N>
int64_t before_repeats(const int64_t (&repeats)[N], int64_t extent, int64_t at) {
    if (N == 1) return repeats[0] > 0 ? at / repeats[0] : 0;
    int64_t i = 0;
    while (i < extent - 1 && at >= repeats[i]) at -= repeats[i++];
    return i;
}

template <int N>
PB_SETUP Shape repeated(Outcome& outcome, Shape shape, const int64_t (&repeats)[N], int64_t axis) {
    const int d = axis_of(outcome, axis, shape.ndim);
    if (!outcome.require(N == 1 || N == shape.at[d], PB_INVALID, "a number of repeats per entry"))
        return shape;
    int64_t extent = 0;
    for (const int64_t times : repeats) {
        outcome.require(times >= 0, PB_INVALID, "a negative number of repeats");
        extent += times;
    }
    shape.at[d] = N == 1 ? shape.at[d] * repeats[0] : extent;
    return shape;
}

template <typename U, typename T, int N>
PB_SETUP void repeat(Context& context, const View<U>& a, const int64_t (&repeats)[N], int64_t axis,
                     const View<T>& result) {
    const int d = axis_of(context, axis, a.shape.ndim);
    if (!computes(context, result)) return;
    each_place(result.shape, [&](const int64_t* index) {
        int64_t from[PB_MAX_DIMS];
        for (int k = 0; k < a.shape.ndim; ++k) from[k] = index[k];
        from[d] = before_repeats(repeats, a.shape.at[d], index[d]);
        entry(result, index) = entry(a, from);
    });
}

template <typename U, typename T, int N>
PB_SETUP void sum_repeats(Context& context, const View<U>& a, const int64_t (&repeats)[N],
                          int64_t axis, const View<T>& result) {
    const int d = axis_of(context, axis, a.shape.ndim);
    const Shape whole = repeated(context, result.shape, repeats, axis);
    context.require(whole == a.shape, PB_INVALID, "not the shape that repetition gives");
    if (!computes(context, result)) return;
    each_place(lines_of(result.shape, d), [&](const int64_t* index) {
        T* to = &entry(result, index);
        const U* from = a.data;
        for (int k = 0; k < a.shape.ndim; ++k) from += index[k] * a.strides[k];
        for (int64_t i = 0; i < result.shape.at[d]; ++i) {
            T total = T(0);
            for (int64_t n = repeats[N == 1 ? 0 : i]; n > 0; --n, from += a.strides[d])
                total += *from;
            to[i * result.strides[d]] = total;
        }
    });
}

// The shape of an array that is laid side by side with itself `reps` times along the last axes.
template <int N>
PB_SETUP Shape tiled(Outcome& outcome, const Shape& shape, const int64_t (&reps)[N]) {
    Shape result;
    result.ndim = shape.ndim > N ? shape.ndim : N;
    if (!outcome.require(result.ndim <= PB_MAX_DIMS, PB_UNSUPPORTED, "more than 8 axes"))
        return shape;
    for (int d = 0; d < result.ndim; ++d) {
        const int of_shape = d - (result.ndim - shape.ndim);
        const int of_reps = d - (result.ndim - N);
        result.at[d] = of_shape >= 0 ? shape.at[of_shape] : 1;
        if (of_reps >= 0) result.at[d] *= reps[of_reps];
    }
    return result;
}

// The place before tiling of a place after it.
PB_SETUP inline void before_tiles(const Shape& shape, int ndim, const int64_t* index,
                                  int64_t* from) {
    for (int d = 0; d < shape.ndim; ++d) from[d] = index[d + ndim - shape.ndim] % shape.at[d];
}

template <typename U, typename T>
PB_SETUP void tile(Context& context, const View<U>& a, const View<T>& result) {
    if (!computes(context, result)) return;
    each_place(result.shape, [&](const int64_t* index) {
        int64_t from[PB_MAX_DIMS];
        before_tiles(a.shape, result.shape.ndim, index, from);
        entry(result, index) = entry(a, from);
    });
}

template <typename U, typename T, int N>
PB_SETUP void sum_tiles(Context& context, const View<U>& a, const int64_t (&reps)[N],
                        const View<T>& result) {
    const Shape whole = tiled(context, result.shape, reps);
    context.require(whole == a.shape, PB_INVALID, "not the shape that tiling gives");
    fill(context, result, T(0));
    if (!computes(context, result)) return;
    each_place(a.shape, [&](const int64_t* index) {
        int64_t to[PB_MAX_DIMS];
        before_tiles(result.shape, a.shape.ndim, index, to);
        entry(result, to) += entry(a, index);
    });
}

// Entries moved along axes by so many places, round the end.
template <typename U, typename T, int N>
PB_SETUP void roll(Context& context, const View<U>& a, const int64_t (&shifts)[N],
                   const int64_t (&axes)[N], const View<T>& result) {
    int64_t moved[PB_MAX_DIMS] = {};
    for (int k = 0; k < N; ++k) moved[axis_of(context, axes[k], a.shape.ndim)] += shifts[k];
    if (!computes(context, result)) return;
    each_place(a.shape, [&](const int64_t* index) {
        int64_t to[PB_MAX_DIMS];
        for (int d = 0; d < a.shape.ndim; ++d) {
            const int64_t extent = a.shape.at[d];
            to[d] = ((index[d] + moved[d]) % extent + extent) % extent;
        }
        entry(result, to) = entry(a, index);
    });
}

// Zero above diagonal `k` of the last two axes, or below it.
template <typename U, typename T>
PB_SETUP void triangle(Context& context, const View<U>& a, int64_t k, bool upper,
                       const View<T>& result) {
    const int last = a.shape.ndim - 1;
    context.require(last >= 1, PB_UNSUPPORTED, "a triangle of a vector");
    if (!computes(context, result)) return;
    const int64_t extent = a.shape.at[last];
    each_place(lines_of(a.shape, last), [&](const int64_t* index) {
        const U* from = &entry(a, index);
        T* to = &entry(result, index);
        const int64_t first = index[last - 1] + k + (upper ? 0 : 1);  // of the columns on the right
        const int64_t cut = first < 0 ? 0 : (first < extent ? first : extent);
        for (int64_t i = 0; i < cut; ++i)
            to[i * result.strides[last]] = upper ? T(0) : from[i * a.strides[last]];
        for (int64_t i = cut; i < extent; ++i)
            to[i * result.strides[last]] = upper ? from[i * a.strides[last]] : T(0);
    });
}

// Ones on diagonal `k` of a matrix, or up to it.
template <typename T>
PB_SETUP void eye(Context& context, int64_t k, const View<T>& result) {
    if (!computes(context, result)) return;
    each_place(result.shape, [&](const int64_t* index) {
        entry(result, index) = static_cast<T>(index[1] - index[0] == k);
    });
}
template <typename T>
PB_SETUP void tri(Context& context, int64_t k, const View<T>& result) {
    if (!computes(context, result)) return;
    each_place(result.shape, [&](const int64_t* index) {
        entry(result, index) = static_cast<T>(index[1] - index[0] <= k);
    });
}

// The entries on a diagonal of two axes, along a new last axis.
template <typename T>
PB_SETUP View<T> diagonal(Outcome& outcome, const View<T>& view, int64_t offset, int64_t axis1,
                          int64_t axis2) {
    const int rows = axis_of(outcome, axis1, view.shape.ndim);
    const int columns = axis_of(outcome, axis2, view.shape.ndim);
    View<T> result{view.data, {}, {}};
    outcome.require(rows != columns, PB_INVALID, "the axes of a diagonal are one and the same");
    if (!outcome.ok()) return result;
    for (int d = 0; d < view.shape.ndim; ++d) {
        if (d == rows || d == columns) continue;
        result.shape.at[result.shape.ndim] = view.shape.at[d];
        result.strides[result.shape.ndim++] = view.strides[d];
    }
    const int64_t down = offset < 0 ? -offset : 0;
    const int64_t right = offset > 0 ? offset : 0;
    const int64_t height = view.shape.at[rows] - down;
    const int64_t width = view.shape.at[columns] - right;
    const int64_t length = height < width ? height : width;
    if (result.data && length > 0)
        result.data += down * view.strides[rows] + right * view.strides[columns];
    result.shape.at[result.shape.ndim] = length > 0 ? length : 0;
    result.strides[result.shape.ndim++] = view.strides[rows] + view.strides[columns];
    return result;
}

// `start, start + step, ...`
template <typename T>
PB_SETUP void arange(Context& context, int64_t start, int64_t step, const View<T>& result) {
    if (!computes(context, result)) return;
    for (int64_t i = 0; i < result.shape.at[0]; ++i)
        result.data[i * result.strides[0]] = static_cast<T>(start + i * step);
}

// The shape of `arange`.
PB_SETUP inline Shape arange_shape(Outcome& outcome, int64_t start, int64_t stop, int64_t step) {
    return shape_of(length_of_range(outcome, start, stop, step));
}

// Axes moved to the end, in their order, and merged into one.
template <typename T, int N>
PB_SETUP View<const Plain<T>> flatten_axes(Context& context, const View<T>& view,
                                           const int (&axes)[N]) {
    int last[N];
    for (int k = 0; k < N; ++k) last[k] = view.shape.ndim - N + k;
    const View<T> moved = moveaxis(context, view, axes, last);
    if (moved.shape.ndim < N) return {};  // refused
    Shape merged = moved.shape;
    merged.ndim -= N;
    int64_t extent = 1;
    for (int d = merged.ndim; d < moved.shape.ndim; ++d) extent *= moved.shape.at[d];
    merged.at[merged.ndim++] = extent;
    return reshape(context, moved, merged);
}

// The inverse, for an array that had `shape`.
template <typename T, int N>
PB_SETUP View<const Plain<T>> unflatten_axes(Context& context, const View<T>& view,
                                             const int (&axes)[N], const Shape& shape) {
    int last[N];
    for (int k = 0; k < N; ++k) last[k] = shape.ndim - N + k;
    const unsigned merged = axis_set(context, axes, shape.ndim);
    if (shape.ndim < N) return {};  // refused
    Shape moved;
    for (int d = 0; d < shape.ndim; ++d) {
        if (!((merged >> d) & 1u)) moved.at[moved.ndim++] = shape.at[d];
    }
    for (const int axis : axes) moved.at[moved.ndim++] = shape[axis];
    return moveaxis(context, reshape(context, view, moved), last, axes);
}

}  // namespace pb

#endif  // PULLBACK_KERNEL_PLACES_H_
