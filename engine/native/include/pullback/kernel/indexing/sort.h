// The positions that sort.
#ifndef PULLBACK_KERNEL_SORT_H_
#define PULLBACK_KERNEL_SORT_H_

#include "pullback/kernel/indexing/scan.h"

namespace pb {

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

#endif  // PULLBACK_KERNEL_SORT_H_
