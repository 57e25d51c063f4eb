// Scans along one axis: running sums and products, recurrences, and positions of extremes.
#ifndef PULLBACK_KERNEL_SCAN_H_
#define PULLBACK_KERNEL_SCAN_H_

#include "pullback/kernel/indexing/places.h"

namespace pb {

// `step(total, entry)` gives the next total.
template <typename U, typename T, typename Step>
void scan(Context& context, const View<U>& a, int64_t axis, const View<T>& result,
          const Step& step) {
    const int d = axis_of(context, axis, a.shape.ndim);
    if (!computes(context, result)) return;
    each_place(lines_of(a.shape, d), [&](const int64_t* index) {
        const U* from = &entry(a, index);
        T* to = &entry(result, index);
        T total = static_cast<T>(*from);
        *to = total;
        for (int64_t i = 1; i < a.shape.at[d]; ++i) {
            total = step(total, static_cast<T>(from[i * a.strides[d]]));
            to[i * result.strides[d]] = total;
        }
    });
}

template <typename U, typename T>
PB_SETUP void cumsum(Context& context, const View<U>& a, int64_t axis, const View<T>& result) {
    scan(context, a, axis, result, [](T total, T x) { return total + x; });
}

template <typename U, typename T>
PB_SETUP void cumprod(Context& context, const View<U>& a, int64_t axis, const View<T>& result) {
    scan(context, a, axis, result, [](T total, T x) { return total * x; });
}

// r_i = b_i + a_i r_(i-1) along the last axis, from zero; in reverse from the end.
template <typename A, typename B, typename T>
PB_SETUP void linear_recurrence(Context& context, const View<A>& factors, const View<B>& terms,
                                bool reverse, const View<T>& result) {
    const int last = axis_of(context, -1, result.shape.ndim);
    const View<A> a = broadcast_to(context, factors, result.shape);
    const View<B> b = broadcast_to(context, terms, result.shape);
    if (!computes(context, result)) return;
    const int64_t extent = result.shape.at[last];
    each_place(lines_of(result.shape, last), [&](const int64_t* index) {
        const A* factor = &entry(a, index);
        const B* term = &entry(b, index);
        T* to = &entry(result, index);
        T carried = T(0);
        for (int64_t i = 0; i < extent; ++i) {
            const int64_t at = reverse ? extent - 1 - i : i;
            carried = term[at * b.strides[last]] + factor[at * a.strides[last]] * carried;
            to[at * result.strides[last]] = carried;
        }
    });
}

// Where the largest or the smallest entry stands along an axis, the first of those that tie; a NaN
// comes before all numbers. `result` has the axis with length one.
template <typename U>
PB_SETUP void position_of_extreme(Context& context, const View<U>& a, int64_t axis, bool largest,
                                  const View<int64_t>& result) {
    const int d = axis_of(context, axis, a.shape.ndim);
    context.require(result.shape.size() == 0 || a.shape.at[d] > 0, PB_INVALID,
                    "an extreme of an empty sequence");
    if (!computes(context, result)) return;
    each_place(result.shape, [&](const int64_t* index) {
        const U* from = &entry(a, index);
        int64_t best = 0;
        for (int64_t i = 1; i < a.shape.at[d]; ++i) {
            const U held = from[best * a.strides[d]];
            const U next = from[i * a.strides[d]];
            const bool better = largest ? next > held : next < held;
            if (held == held && (better || next != next)) best = i;
        }
        entry(result, index) = best;
    });
}

// True if all entries that fall on a place of `result` are true, or any is. Reduced axes have
// length one in `result`.
template <typename U>
PB_SETUP void truth_of(Context& context, const View<U>& a, bool all, const View<bool>& result) {
    fill(context, result, all);
    if (!computes(context, result)) return;
    each_place(a.shape, [&](const int64_t* index) {
        int64_t to[PB_MAX_DIMS];
        for (int d = 0; d < a.shape.ndim; ++d) to[d] = result.shape.at[d] == 1 ? 0 : index[d];
        bool& truth = entry(result, to);
        const bool one = entry(a, index) != U(0);
        truth = all ? truth && one : truth || one;
    });
}

}  // namespace pb

#endif  // PULLBACK_KERNEL_SCAN_H_
