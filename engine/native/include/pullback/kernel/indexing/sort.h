// The positions that sort.
#ifndef PULLBACK_KERNEL_SORT_H_
#define PULLBACK_KERNEL_SORT_H_

#include "pullback/kernel/indexing/scan.h"

namespace pb {

// Whole numbers in the order of the entries: zeros of both signs are equal, NaN is last.
inline uint32_t sort_key(float x) {
    const auto bits = __builtin_bit_cast(uint32_t, x == 0.0F ? 0.0F : x);
    return x != x ? ~0U : bits ^ (bits >> 31U ? ~0U : 1U << 31U);
}
inline uint64_t sort_key(double x) {
    const auto bits = __builtin_bit_cast(uint64_t, x == 0.0 ? 0.0 : x);
    return x != x ? ~uint64_t{0} : bits ^ (bits >> 63U ? ~uint64_t{0} : uint64_t{1} << 63U);
}
inline uint64_t sort_key(int64_t x) {
    return static_cast<uint64_t>(x) ^ uint64_t { 1 } << 63U;
}
inline uint64_t sort_key(bool x) { return x; }

// A line's keys and the positions that they come from, and memory for as many again.
template <typename Key>
struct SortLine {
    int64_t extent;
    Key* keys;
    Key* more_keys;
    int64_t* order;
    int64_t* more_order;

    void swap() {
        Key* const other_keys = keys;
        keys = more_keys;
        more_keys = other_keys;
        int64_t* const other_order = order;
        order = more_order;
        more_order = other_order;
    }
};

// By merging, of short lines.
template <typename Key>
void merge_sort(SortLine<Key>& line) {
    const int64_t extent = line.extent;
    for (int64_t width = 1; width < extent; width *= 2) {
        for (int64_t left = 0; left < extent; left += 2 * width) {
            const int64_t middle = left + width < extent ? left + width : extent;
            const int64_t end = middle + width < extent ? middle + width : extent;
            int64_t i = left;
            int64_t j = middle;
            for (int64_t k = left; k < end; ++k) {
                const bool second = i == middle || (j < end && line.keys[j] < line.keys[i]);
                const int64_t from = second ? j++ : i++;
                line.more_keys[k] = line.keys[from];
                line.more_order[k] = line.order[from];
            }
        }
        line.swap();
    }
}

// By one byte after the other, the last one first: Knuth, The Art of Computer Programming 3, 5.2.5,
// algorithm R. A byte that all keys share moves nothing.
template <typename Key>
void radix_sort(SortLine<Key>& line) {
    for (unsigned shift = 0; shift < 8 * sizeof(Key); shift += 8) {
        int64_t places[256] = {};
        for (int64_t i = 0; i < line.extent; ++i) ++places[line.keys[i] >> shift & 255U];
        if (places[line.keys[0] >> shift & 255U] == line.extent) continue;
        int64_t before = 0;
        for (int64_t& place : places) {
            const int64_t count = place;
            place = before;
            before += count;
        }
        for (int64_t i = 0; i < line.extent; ++i) {
            const int64_t to = places[line.keys[i] >> shift & 255U]++;
            line.more_keys[to] = line.keys[i];
            line.more_order[to] = line.order[i];
        }
        line.swap();
    }
}

constexpr int64_t kShortLine = 64;

// The positions that sort each line along an axis, equal entries in their order, NaN last.
template <typename U>
PB_SETUP void argsort(Context& context, const View<U>& a, int64_t axis,
                      const View<int64_t>& result) {
    using Key = decltype(sort_key(U()));
    const int d = axis_of(context, axis, a.shape.ndim);
    const int64_t extent = a.shape.ndim > 0 ? a.shape.at[d] : 0;
    const View<int64_t> orders = context.scratch<int64_t>(shape_of(2 * extent));
    auto* const keys =
        reinterpret_cast<Key*>(context.any_scratch(shape_of(extent), sizeof(Key), 2).data);
    if (!computes(context, result)) return;
    each_place(lines_of(a.shape, d), [&](const int64_t* index) {
        const U* from = &entry(a, index);
        SortLine<Key> line{extent, keys, keys + extent, orders.data, orders.data + extent};
        for (int64_t i = 0; i < extent; ++i) {
            line.keys[i] = sort_key(from[i * a.strides[d]]);
            line.order[i] = i;
        }
        if (extent < kShortLine) {
            merge_sort(line);
        } else {
            radix_sort(line);
        }
        int64_t* to = &entry(result, index);
        for (int64_t i = 0; i < extent; ++i) to[i * result.strides[d]] = line.order[i];
    });
}

}  // namespace pb

#endif  // PULLBACK_KERNEL_SORT_H_
