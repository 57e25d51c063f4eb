// Lists of arrays as one array, and the other way round.
#ifndef PULLBACK_KERNEL_JOINED_H_
#define PULLBACK_KERNEL_JOINED_H_

#include "pullback/kernel/values/lists.h"

namespace pb {

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

}  // namespace pb

#endif  // PULLBACK_KERNEL_JOINED_H_
