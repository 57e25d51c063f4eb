// Branches and errors: what is not there, numbers that become arrays, conditions on data.
#ifndef PULLBACK_KERNEL_BRANCHES_H_
#define PULLBACK_KERNEL_BRANCHES_H_

#include "pullback/kernel/indexing/places.h"

namespace pb {

// What a value is where the branch that makes it is not taken: a zero, which nobody reads.
template <typename T>
inline constexpr T kNothing{};
template <typename T>
View<const T> nothing() {
    return {&kNothing<T>, {}, {}};
}

// A number as an array without axes.
template <typename T>
PB_SETUP View<const T> constant(Context& context, T value) {
    const View<T> result = context.scratch<T>({});
    if (computes(context, result)) *result.data = value;
    return result.read_only();
}

// An output of a branch that is not taken: nobody reads it.
template <typename T>
PB_SETUP View<const T> absent(Context& context, int k) {
    const View<T> result = context.output<T>(k, {});
    if (computes(context, result)) *result.data = T(0);
    return result.read_only();
}

// True if an array of one element is true.
template <typename T>
bool holds(Context& context, const View<T>& view) {
    context.require(view.shape.size() == 1, PB_INVALID, "the truth of more than one element");
    return context.ok() && !context.dry() && *view.data != Plain<T>(0);
}

// Where the entry at these positions lies, one for each axis; null where nothing is computed.
template <typename T, typename... Positions>
T* place_of(Context& context, const View<T>& view, Positions... positions) {
    constexpr int kCount = sizeof...(positions);
    const int64_t at[kCount + 1] = {static_cast<int64_t>(positions)..., 0};
    if (context.dry() || !context.ok()) return nullptr;
    int64_t place = 0;
    for (int d = 0; d < kCount; ++d) {
        const int64_t k = at[d] < 0 ? at[d] + view.shape.at[d] : at[d];
        if (k < 0 || k >= view.shape.at[d]) {
            context.fail(PB_INVALID, "index out of bounds");
            return nullptr;
        }
        place += k * view.strides[d];
    }
    return view.data ? view.data + place : nullptr;
}

// The entry of an array at these positions, one for each axis. While shapes are worked out, a zero.
template <typename T, typename... Positions>
Plain<T> entry(Context& context, const View<T>& view, Positions... positions) {
    const T* const place = place_of(context, view, positions...);
    return place ? *place : Plain<T>(0);
}

// The same entry written.
template <typename T, typename... Positions>
void set_entry(Context& context, const View<T>& view, Plain<T> value, Positions... positions) {
    T* const place = place_of(context, view, positions...);
    if (place) *place = value;
}

// What an author raises: the caller's reference formula does, with its message.
inline void raise(Context& context, const char* message) {
    if (!context.dry()) context.fail(PB_INVALID, message);
}

// The most iterations of a loop that elements may end: of this many or of fewer. Its arrays have
// room for all of these, and are cut to those that there were.
PB_SETUP inline int64_t may_end_early(Context& context, int64_t iterations) {
    context.varies = context.ends_early = true;
    return iterations <= int64_t{1} << 16 ? iterations : 512;
}

}  // namespace pb

#endif  // PULLBACK_KERNEL_BRANCHES_H_
