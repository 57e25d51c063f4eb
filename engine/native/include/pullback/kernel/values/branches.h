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
