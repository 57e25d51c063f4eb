// Scans along one axis: running sums and products, recurrences, and positions of extremes.
#ifndef PULLBACK_KERNEL_SCAN_H_
#define PULLBACK_KERNEL_SCAN_H_

#include "pullback/kernel/indexing/places.h"
#include "pullback/kernel/math/elementary.h"

namespace pb {

// Of so many lines the next entries are computed side by side: they lie in one cache line each.
constexpr int64_t kLines = 16;

// The axis, if there is one, along which the first entries of lines lie next to each other.
template <typename U>
int across_lines(const View<U>& a, int axis) {
    int found = -1;
    for (int k = 0; k < a.shape.ndim; ++k) {
        const bool nearer = found < 0 || abs(a.strides[k]) < abs(a.strides[found]);
        if (k != axis && a.shape.at[k] > 1 && nearer) found = k;
    }
    return found;
}

// Where `kCount` lines begin, how far apart, and the distance from entry to entry of each.
template <typename T>
struct Lines {
    T* first;
    int64_t apart, step;
    Lines from(int64_t line) const { return {first + line * apart, apart, step}; }
};

template <int64_t kCount, typename U, typename T, typename Step>
__attribute__((always_inline)) inline void scan_lines(Lines<U> a, Lines<T> result, int64_t extent,
                                                      const Step& step) {
    T totals[kCount];
    for (int64_t j = 0; j < kCount; ++j)
        result.first[j * result.apart] = totals[j] = static_cast<T>(a.first[j * a.apart]);
    for (int64_t i = 1; i < extent; ++i) {
        a.first += a.step;
        result.first += result.step;
        PB_SIMD
        for (int64_t j = 0; j < kCount; ++j)
            totals[j] = step(totals[j], static_cast<T>(a.first[j * a.apart]));
        PB_SIMD
        for (int64_t j = 0; j < kCount; ++j) result.first[j * result.apart] = totals[j];
    }
}

// `step(total, entry)` gives the next total.
template <typename U, typename T, typename Step>
void scan(Context& context, const View<U>& a, int64_t axis, const View<T>& result,
          const Step& step) {
    const int d = axis_of(context, axis, a.shape.ndim);
    if (!computes(context, result)) return;
    const int across = across_lines(a, d);
    const int64_t count = across < 0 ? 1 : a.shape.at[across];
    const int64_t extent = a.shape.at[d];
    Shape firsts = lines_of(a.shape, d);
    if (across >= 0) firsts.at[across] = 1;
    each_place(firsts, [&](const int64_t* index) {
        const Lines<U> from{&entry(a, index), across < 0 ? 0 : a.strides[across], a.strides[d]};
        const Lines<T> to{&entry(result, index), across < 0 ? 0 : result.strides[across],
                          result.strides[d]};
        int64_t line = 0;
        for (; line + kLines <= count; line += kLines) {
            Lines<U> some = from.from(line);
            Lines<T> others = to.from(line);
            if (some.apart == 1 && others.apart == 1) {
                some.apart = others.apart = 1;  // known to the compiler
                scan_lines<kLines>(some, others, extent, step);
            } else if (some.apart == 1) {
                some.apart = 1;
                scan_lines<kLines>(some, others, extent, step);
            } else {
                scan_lines<kLines>(some, others, extent, step);
            }
        }
        for (; line < count; ++line) scan_lines<1>(from.from(line), to.from(line), extent, step);
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

// The last position so far of the extreme along an axis, from which `beats` tells other entries; of
// NaN the last.
template <typename U, typename Beats>
void running_places(Context& context, const View<U>& a, int64_t axis, const View<int64_t>& result,
                    const Beats& beats) {
    const int d = axis_of(context, axis, a.shape.ndim);
    if (!computes(context, result)) return;
    const int64_t extent = a.shape.at[d];
    each_place(lines_of(a.shape, d), [&](const int64_t* index) {
        const U* from = &entry(a, index);
        int64_t* to = &entry(result, index);
        int64_t place = 0;
        for (int64_t i = 0; i < extent; ++i) {
            const U found = from[i * a.strides[d]], extreme = from[place * a.strides[d]];
            if (found != found || !(beats(extreme, found) || extreme != extreme)) place = i;
            to[i * result.strides[d]] = place;
        }
    });
}

template <typename U>
PB_SETUP void argcummax(Context& context, const View<U>& a, int64_t axis,
                        const View<int64_t>& result) {
    running_places(context, a, axis, result, [](U extreme, U found) { return extreme > found; });
}

template <typename U>
PB_SETUP void argcummin(Context& context, const View<U>& a, int64_t axis,
                        const View<int64_t>& result) {
    running_places(context, a, axis, result, [](U extreme, U found) { return extreme < found; });
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
