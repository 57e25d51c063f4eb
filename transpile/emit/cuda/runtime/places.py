"""Places of entries in operands, and packs of entries that are read and written at once."""

TEXT = """\
#ifdef __CUDACC_RTC__
using int64_t = long long;
using uint64_t = unsigned long long;
#define __builtin_inf() __longlong_as_double(0x7ff0000000000000LL)
#define __builtin_nan(text) __longlong_as_double(0x7fffffffffffffffLL)
#else
#include <cstdint>
#endif

#ifdef __CUDACC__
#define PB_UNROLLED _Pragma("unroll")
#define PB_ROLLED _Pragma("unroll 1")
#else
#define PB_UNROLLED
#define PB_ROLLED
#endif
#define PB_DEVICE __device__ __forceinline__
#define PB_KERNEL extern "C" __global__ void __launch_bounds__(pb::kThreads)
#define PB_FUNCTION(name, function) \\
    namespace pb { \\
    template <typename... T> \\
    PB_DEVICE auto name(T... x) { return ::function(x...); } \\
    }

namespace pb {

constexpr int kThreads = 256;  // of a block at most
constexpr int kAxes = 8;
constexpr int kPacks = 4;    // of a row that stays in registers, those of a thread
constexpr int kColumns = 8;  // of totals over all rows, those whose parts a block joins

// What a launch goes over: so many groups, and `length` entries of the fibre of each. The first `outer` axes
// are those of groups, the others those of fibres; a stride is how many elements of an operand lie between
// an entry and the next. So many `lanes` share a fibre: a power of two up to kThreads. Where there are few
// long fibres, so many `parts` share one. Neighbouring threads take neighbouring entries of a fibre; of
// `columns`, whose fibres lie next to each other, they take an entry of neighbouring fibres.
template <int N>
struct Space {
    int64_t groups, length;
    int outer, rank, lanes, parts, columns, unused;
    int64_t size[kAxes];
    unsigned factor[kAxes];
    int shift[kAxes];
    int64_t stride[N][kAxes];
};

// Memory for fibres in parts: for each total, 8 bytes for each part of each group, and a zero for each group;
// and for totals in columns, of which each block has a part.
struct Work {
    void* totals;
    unsigned* arrived;
};
template <typename A, int W, int N>
PB_DEVICE A* parts_of(const Space<N>& space, const Work& work, int number) {
    double* const totals = static_cast<double*>(work.totals);
    return reinterpret_cast<A*>(totals + number * space.parts * space.length * W);
}

// The place of an entry in each operand.
template <typename I, int N>
struct Place {
    I of[N];
};

// A position below 2^30 by the size of an axis; Granlund and Montgomery, "Division by invariant integers
// using multiplication" (1994).
template <int N>
PB_DEVICE int quotient(const Space<N>& space, int position, int axis) {
    const unsigned n = static_cast<unsigned>(position);
    return static_cast<int>((__umulhi(n, space.factor[axis]) + n) >> space.shift[axis]);
}
template <int N>
PB_DEVICE int64_t quotient(const Space<N>& space, int64_t position, int axis) {
    return position / space.size[axis];
}

template <typename I, int N>
PB_DEVICE Place<I, N> moved(const Space<N>& space, Place<I, N> place, I position, int first, int end) {
    PB_ROLLED
    for (int axis = end - 1; axis >= first; --axis) {
        I digit = position;
        if (axis > first) {
            position = quotient(space, position, axis);
            digit -= position * static_cast<I>(space.size[axis]);
        }
        for (int k = 0; k < N; ++k) place.of[k] += digit * static_cast<I>(space.stride[k][axis]);
    }
    return place;
}
template <typename I, int N>
PB_DEVICE Place<I, N> place(const Space<N>& space, I group) {
    Place<I, N> place{};
    if (space.outer == 1) {
        for (int k = 0; k < N; ++k) place.of[k] = group * static_cast<I>(space.stride[k][0]);
        return place;
    }
    if (space.outer == 2) {
        const I row = quotient(space, group, 1);
        const I digit = group - row * static_cast<I>(space.size[1]);
        for (int k = 0; k < N; ++k) {
            place.of[k] = row * static_cast<I>(space.stride[k][0]);
            place.of[k] += digit * static_cast<I>(space.stride[k][1]);
        }
        return place;
    }
    return moved(space, place, group, 0, space.outer);
}
template <typename I, int N>
PB_DEVICE Place<I, N> place(const Space<N>& space, const Place<I, N>& group, I step) {
    return moved(space, group, step, space.outer, space.rank);
}

// The place of the entries that a thread takes at once; behind the end nothing is stored or collected.
template <typename I, int N>
struct Step : Place<I, N> {
    int pack;
    bool is_inside;
};

// The elements of an operand, the k-th of a space.
template <typename T, int K>
struct Row {
    T* data;
    template <typename I, int N>
    PB_DEVICE T& operator[](const Place<I, N>& place) const { return data[place.of[K]]; }
};

// One element for all.
template <typename T>
struct Same {
    T value;
    template <typename I>
    PB_DEVICE T operator[](const I&) const { return value; }
    template <typename I>
    PB_DEVICE T& operator[](const I&) { return value; }
};

// Elements that are written, where somebody has memory for them.
template <typename T>
struct Slot {
    T* at;
    PB_DEVICE void operator=(T value) const {
        if (at) *at = value;
    }
};
template <typename T, int K>
struct Sink {
    T* data;
    template <typename I, int N>
    PB_DEVICE Slot<T> operator[](const Place<I, N>& place) const {
        return {data ? data + place.of[K] : nullptr};
    }
};

// So many entries along the last axis: they lie next to each other, or apart, or are one.
template <typename T, int W>
struct alignas(W * sizeof(T) < 16 ? W * sizeof(T) : 16) Pack {
    T of[W];
    PB_DEVICE T operator[](int entry) const { return of[entry]; }
    PB_DEVICE T& operator[](int entry) { return of[entry]; }
};
// What was read is there before anything is computed: a compiler that moves it behind a branch waits for
// each entry by itself.
template <typename T>
PB_DEVICE void settle(T&) {}
#ifdef __CUDACC__
PB_DEVICE void settle(float& x) { asm volatile("" : "+f"(x)); }
PB_DEVICE void settle(double& x) { asm volatile("" : "+d"(x)); }
#endif
// The k-th operand's entries from a place on.
template <int W, int K, typename T, typename I, int N>
PB_DEVICE Pack<T, W> loaded(const T* data, const Space<N>& space, const Place<I, N>& place) {
    data += place.of[K];
    if (W == 1) return {{*data}};
    const I steps = static_cast<I>(space.stride[K][space.rank - 1]);
    if (steps == W) return *reinterpret_cast<const Pack<T, W>*>(data);
    Pack<T, W> pack;
    for (int entry = 0; entry < W; ++entry) pack.of[entry] = data[entry * (steps / W)];
    for (int entry = 0; entry < W; ++entry) settle(pack.of[entry]);
    return pack;
}
template <int K, typename T, int W, typename I, int N>
PB_DEVICE void store(const Pack<T, W>& pack, T* data, const Space<N>& space, const Place<I, N>& place) {
    if (!data) return;
    data += place.of[K];
    if (W == 1 || space.stride[K][space.rank - 1] == 0) *data = pack.of[0];  // one for all entries
    else *reinterpret_cast<Pack<T, W>*>(data) = pack;
}
template <int K, typename T, int W, typename I, int N>
PB_DEVICE void store(const Pack<T, W>& pack, T* data, const Space<N>& space, const Step<I, N>& step) {
    const Place<I, N>& place = step;
    if (step.is_inside) store<K>(pack, data, space, place);
}
// Along any axis, as a fibre lies. The question takes registers from rows, and saves some over entries.
template <int K, typename T, int W, typename I, int N>
PB_DEVICE void store_apart(const Pack<T, W>& pack, T* data, const Space<N>& space, const Place<I, N>& place) {
    if (!data) return;
    data += place.of[K];
    const I steps = static_cast<I>(space.stride[K][space.rank - 1]);
    if (W == 1) *data = pack.of[0];
    else if (steps == W) *reinterpret_cast<Pack<T, W>*>(data) = pack;
    else for (int entry = 0; entry < W; ++entry) data[entry * (steps / W)] = pack.of[entry];
}
template <int K, typename T, int W, typename I, int N>
PB_DEVICE void store_apart(const Pack<T, W>& pack, T* data, const Space<N>& space, const Step<I, N>& step) {
    const Place<I, N>& place = step;
    if (step.is_inside) store_apart<K>(pack, data, space, place);
}

"""
