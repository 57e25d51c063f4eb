// Entries picked and put by positions that are data, and the positions that sort.
#ifndef PULLBACK_KERNEL_PICK_H_
#define PULLBACK_KERNEL_PICK_H_

#include "kernel_scan.h"

namespace pb {

// A position as Python counts it. Out of bounds, the kernel refuses and NumPy says so.
inline int64_t position_in(Outcome& outcome, int64_t at, int64_t extent) {
    const int64_t counted = at < 0 ? at + extent : at;
    outcome.require(counted >= 0 && counted < extent, PB_INVALID, "index out of bounds");
    return outcome.ok() ? counted : 0;
}

// The shape of `x[positions...]`: that of the positions together, then the axes that they leave.
template <int N>
PB_SETUP Shape picked(Outcome& outcome, const Shape& from,
                      const View<const int64_t> (&positions)[N]) {
    Shape result;
    for (const View<const int64_t>& each : positions)
        outcome.require(join(result, each.shape), PB_INVALID, "indices do not broadcast");
    outcome.require(N <= from.ndim, PB_INVALID, "too many indices");
    outcome.require(result.ndim + from.ndim - N <= PB_MAX_DIMS, PB_UNSUPPORTED, "more than 8 axes");
    for (int d = N; d < from.ndim && outcome.ok(); ++d) result.at[result.ndim++] = from.at[d];
    return result;
}

// Calls `move(entry of the picked array, entry of the whole)` for every entry that is picked.
template <typename T, typename U, int N, typename Move>
void each_picked(Context& context, const View<T>& whole, const View<const int64_t> (&positions)[N],
                 const View<U>& part, const Move& move) {
    const int rest = whole.shape.ndim - N;
    const int lead = part.shape.ndim - rest;
    each_place(part.shape, [&](const int64_t* index) {
        int64_t at[PB_MAX_DIMS] = {};
        for (int k = 0; k < N; ++k) {
            const View<const int64_t>& own = positions[k];
            const int64_t* from = own.data;
            for (int d = 0; d < own.shape.ndim; ++d) {
                const int64_t i = index[d + lead - own.shape.ndim];
                from += own.shape.at[d] == 1 ? 0 : i * own.strides[d];
            }
            at[k] = position_in(context, *from, whole.shape.at[k]);
        }
        for (int d = 0; d < rest; ++d) at[N + d] = index[lead + d];
        if (context.ok()) move(entry(part, index), entry(whole, at));
    });
}

template <typename U, typename T, int N>
PB_SETUP void pick(Context& context, const View<U>& from, const View<const int64_t> (&positions)[N],
                   const View<T>& result) {
    if (!computes(context, result)) return;
    each_picked(context, from, positions, result, [](T& part, const U& whole) { part = whole; });
}

// Zeros, with each entry added where it was picked.
template <typename U, typename T, int N>
PB_SETUP void unpick(Context& context, const View<U>& from,
                     const View<const int64_t> (&positions)[N], const View<T>& result) {
    fill(context, result, T(0));
    if (!computes(context, result)) return;
    const Shape shape = picked(context, result.shape, positions);
    const View<const Plain<U>> parts = broadcast_to(context, from.read_only(), shape);
    if (!context.ok()) return;
    each_picked(context, result, positions, parts,
                [](const Plain<U>& part, T& whole) { whole += part; });
}

// The shape of `take_along_axis`: that of the positions, other axes broadcast.
PB_SETUP inline Shape along_shape(Outcome& outcome, const Shape& from, const Shape& positions,
                                  int64_t axis) {
    const int d = axis_of(outcome, axis, from.ndim);
    Shape others = from;
    others.at[d] = 1;
    outcome.require(from.ndim == positions.ndim && join(others, positions), PB_INVALID,
                    "positions do not fit the array");
    return others;
}

template <typename U, typename T>
PB_SETUP void take_along_axis(Context& context, const View<U>& from,
                              const View<const int64_t>& positions, int64_t axis,
                              const View<T>& result) {
    const int d = axis_of(context, axis, from.shape.ndim);
    const View<const int64_t> where = broadcast_to(context, positions, result.shape);
    if (!computes(context, result)) return;
    each_place(result.shape, [&](const int64_t* index) {
        int64_t at[PB_MAX_DIMS] = {};
        for (int k = 0; k < from.shape.ndim; ++k) at[k] = from.shape.at[k] == 1 ? 0 : index[k];
        at[d] = position_in(context, entry(where, index), from.shape.at[d]);
        if (context.ok()) entry(result, index) = entry(from, at);
    });
}

// Zeros, with each entry added where `take_along_axis` took it.
template <typename U, typename T>
PB_SETUP void put_along(Context& context, const View<U>& from, const View<const int64_t>& positions,
                        int64_t axis, const View<T>& result) {
    const int d = axis_of(context, axis, result.shape.ndim);
    const View<const int64_t> where = broadcast_to(context, positions, from.shape);
    fill(context, result, T(0));
    if (!computes(context, result)) return;
    each_place(from.shape, [&](const int64_t* index) {
        int64_t at[PB_MAX_DIMS] = {};
        for (int k = 0; k < from.shape.ndim; ++k) at[k] = result.shape.at[k] == 1 ? 0 : index[k];
        at[d] = position_in(context, entry(where, index), result.shape.at[d]);
        if (context.ok()) entry(result, at) += entry(from, index);
    });
}

// The positions that sort each line along an axis, equal entries in their order, NaN last.
template <typename U>
PB_SETUP void argsort(Context& context, const View<U>& a, int64_t axis,
                      const View<int64_t>& result) {
    const int d = axis_of(context, axis, a.shape.ndim);
    const int64_t extent = a.shape.ndim > 0 ? a.shape.at[d] : 0;
    const View<int64_t> spare = context.scratch<int64_t>(shape_of(2 * extent));
    if (!computes(context, result)) return;
    each_place(lines_of(a.shape, d), [&](const int64_t* index) {
        const U* from = &entry(a, index);
        const auto less = [&](int64_t i, int64_t j) {
            const U x = from[i * a.strides[d]];
            const U y = from[j * a.strides[d]];
            return x < y || (x == x && y != y);
        };
        int64_t* order = spare.data;
        int64_t* merged = spare.data + extent;
        for (int64_t i = 0; i < extent; ++i) order[i] = i;
        for (int64_t width = 1; width < extent; width *= 2) {
            for (int64_t left = 0; left < extent; left += 2 * width) {
                const int64_t middle = left + width < extent ? left + width : extent;
                const int64_t end = middle + width < extent ? middle + width : extent;
                int64_t i = left;
                int64_t j = middle;
                for (int64_t k = left; k < end; ++k) {
                    const bool second = i == middle || (j < end && less(order[j], order[i]));
                    merged[k] = second ? order[j++] : order[i++];
                }
            }
            int64_t* const swapped = order;
            order = merged;
            merged = swapped;
        }
        int64_t* to = &entry(result, index);
        for (int64_t i = 0; i < extent; ++i) to[i * result.strides[d]] = order[i];
    });
}

}  // namespace pb

#endif  // PULLBACK_KERNEL_PICK_H_
