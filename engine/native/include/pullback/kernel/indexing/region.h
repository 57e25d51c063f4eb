// Parts of an array by the places of their entries, counted in its C order.
#ifndef PULLBACK_KERNEL_REGION_H_
#define PULLBACK_KERNEL_REGION_H_

#include "pullback/kernel/indexing/pick.h"

namespace pb {

// Calls `body(place of an entry, its index in the region)` for each, without those of a mask.
template <typename Body>
void each_of_region(Context& context, int64_t size, const View<const int64_t>& places,
                    const View<const bool>& unwritten, const Body& body) {
    each_place(places.shape, [&](const int64_t* index) {
        const int64_t place = position_in(context, entry(places, index), size);
        const bool counts = !unwritten.data || !entry(unwritten, index);
        if (context.ok() && counts) body(place, index);
    });
}

// The entries; zero for those that the write of another one replaced.
template <typename U, typename T>
PB_SETUP void take_region(Context& context, const View<U>& a, const View<const int64_t>& places,
                          const View<const bool>& unwritten, const View<T>& result) {
    const auto line = reshape(context, a, shape_of(-1));
    fill(context, result, T(0));
    if (!computes(context, result)) return;
    each_of_region(context, line.shape[0], places, unwritten,
                   [&](int64_t place, const int64_t* index) {
                       entry(result, index) = line.data[place * line.strides[0]];
                   });
}
template <typename U, typename T>
void take_region(Context& context, const View<U>& a, const View<const int64_t>& places,
                 const View<T>& result) {
    take_region(context, a, places, {}, result);
}

// Zeros, with each entry added at its place.
template <typename U, typename T>
PB_SETUP void spread_region(Context& context, const View<U>& a, const View<const int64_t>& places,
                            const View<const bool>& unwritten, const View<T>& result) {
    context.require(a.shape == places.shape, PB_INVALID, "a region of another shape");
    const View<T> whole = context.scratch<T>(result.shape);
    fill(context, whole, T(0));
    if (!computes(context, result)) return;
    each_of_region(
        context, result.shape.size(), places, unwritten,
        [&](int64_t place, const int64_t* index) { whole.data[place] += entry(a, index); });
    copy(context, whole.read_only(), result);
}
template <typename U, typename T>
void spread_region(Context& context, const View<U>& a, const View<const int64_t>& places,
                   const View<T>& result) {
    spread_region(context, a, places, {}, result);
}

// A copy with zeros at the places, also at those whose entry another one replaced.
template <typename U, typename T>
PB_SETUP void clear_region(Context& context, const View<U>& a, const View<const int64_t>& places,
                           const View<T>& result) {
    const View<T> whole = context.scratch<T>(result.shape);
    copy(context, a, whole);
    if (!computes(context, result)) return;
    each_of_region(context, result.shape.size(), places, {},
                   [&](int64_t place, const int64_t*) { whole.data[place] = T(0); });
    copy(context, whole.read_only(), result);
}
template <typename U, typename T>
void clear_region(Context& context, const View<U>& a, const View<const int64_t>& places,
                  const View<const bool>&, const View<T>& result) {
    clear_region(context, a, places, result);
}

}  // namespace pb

#endif  // PULLBACK_KERNEL_REGION_H_
