// Convolution of vectors.
#ifndef PULLBACK_KERNEL_CONVOLVE_H_
#define PULLBACK_KERNEL_CONVOLVE_H_

#include "pullback/kernel/indexing/index.h"

namespace pb {

// The part of a convolution that is computed: every entry, the middle as long as the longer vector,
// or the entries to which all of the shorter one adds.
enum class Overlap { kFull, kSame, kValid };

PB_SETUP inline Shape convolve_shape(Outcome& outcome, const Shape& a, const Shape& v,
                                     Overlap overlap) {
    if (!outcome.require(a.ndim == 1 && v.ndim == 1, PB_UNSUPPORTED, "convolve of no vectors"))
        return Shape{1};
    const int64_t longer = a[0] > v[0] ? a[0] : v[0];
    const int64_t shorter = a[0] > v[0] ? v[0] : a[0];
    outcome.require(shorter > 0, PB_INVALID, "convolve of an empty vector");
    if (overlap == Overlap::kSame) return shape_of(longer);
    return shape_of(overlap == Overlap::kFull ? longer + shorter - 1 : longer - shorter + 1);
}

// Adds factor_i line_(k - i) to the sums of entries k from `begin` to `end`. Entries of a line that
// it does not have add nothing.
template <typename T>
PB_ONCE void add_products(const View<const T>& factors, const T* line, int64_t length,
                          int64_t begin, int64_t end, T* sums) {
    for (int64_t i = 0; i < factors.shape.at[0]; ++i) {
        const T factor = factors.data[i * factors.strides[0]];
        const int64_t first = begin > i ? begin : i;
        const int64_t last = end < i + length ? end : i + length;
        const T* from = line + (first - i);
        T* to = sums + (first - begin);
        PB_SIMD
        for (int64_t j = 0; j < last - first; ++j) to[j] += factor * from[j];
    }
}

// Writes the convolution of a and v to `result`, so many entries at a time as stay in the cache.
template <typename A, typename V, typename T>
PB_SETUP void convolve(Context& context, const View<A>& a, const View<V>& v, Overlap overlap,
                       const View<T>& result) {
    constexpr int64_t kBlock = 1024;
    const Shape whole = convolve_shape(context, a.shape, v.shape, Overlap::kFull);
    context.require(result.shape == convolve_shape(context, a.shape, v.shape, overlap), PB_INVALID,
                    "a convolution of another length");
    if (!context.ok()) return;
    const bool turned = a.shape[0] < v.shape[0];
    const View<const T> longer = turned ? v.read_only() : a.read_only();
    const View<const T> shorter = turned ? a.read_only() : v.read_only();
    const View<T> line = context.scratch<T>(longer.shape);
    copy(context, longer, line);
    if (!context.ok() || context.dry() || !result.data) return;
    const int64_t left = (whole[0] - result.shape[0]) / 2;
    for (int64_t begin = 0; begin < result.shape[0]; begin += kBlock) {
        const int64_t rest = result.shape[0] - begin;
        const int64_t count = rest < kBlock ? rest : kBlock;
        T sums[kBlock] = {};
        add_products(shorter, static_cast<const T*>(line.data), line.shape[0], left + begin,
                     left + begin + count, sums);
        for (int64_t j = 0; j < count; ++j) result.data[(begin + j) * result.strides[0]] = sums[j];
    }
}

}  // namespace pb

#endif  // PULLBACK_KERNEL_CONVOLVE_H_
