// Places in a sorted vector.
#ifndef PULLBACK_KERNEL_SEARCH_H_
#define PULLBACK_KERNEL_SEARCH_H_

#include "pullback/kernel/indexing/sort.h"

namespace pb {

// The type that two of NumPy's are compared in.
template <typename U, typename V>
struct Compared {
    using Type = double;
};
template <typename U>
struct Compared<U, U> {
    using Type = U;
};
template <typename U>
struct Compared<U, bool> {
    using Type = U;
};
template <typename V>
struct Compared<bool, V> {
    using Type = V;
};
template <>
struct Compared<bool, bool> {
    using Type = bool;
};

// The number of entries of a sorted vector that stand before each value, equal ones too where it is
// put behind them: by halving. NaN is last.
template <typename U, typename V>
PB_SETUP void searchsorted(Context& context, const View<U>& sorted, const View<V>& values,
                           bool behind, const View<int64_t>& result) {
    using Both = typename Compared<U, V>::Type;
    if (sorted.shape.ndim != 1) {
        context.fail(PB_INVALID, "object of too many or too few dimensions for searchsorted");
    }
    if (!computes(context, result)) return;
    each_place(result.shape, [&](const int64_t* index) {
        const auto key = sort_key(static_cast<Both>(entry(values, index)));
        int64_t first = 0;
        int64_t count = sorted.shape.at[0];
        while (count > 0) {
            const int64_t half = count / 2;
            const int64_t place = first + half;
            const auto found = sort_key(static_cast<Both>(sorted.data[place * sorted.strides[0]]));
            if (found < key || (behind && found == key)) {
                first = place + 1;
                count -= half + 1;
            } else {
                count = half;
            }
        }
        entry(result, index) = first;
    });
}

}  // namespace pb

#endif  // PULLBACK_KERNEL_SEARCH_H_
