"""The head of every CUDA file: places of entries, threads that share a fibre, NumPy's own functions."""

from __future__ import annotations

from ...operators.scalar import CUDA

# Functions that the head has, and CUDA not.
OWN = frozenset(name for name, function in CUDA.items() if function == f"pb::{name}")

RUNTIME = """\
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

// The entries that a thread computes, `P` packs of them at a time.
template <typename I, int N, int P>
struct Places {
    Step<I, N> of[P];
};
template <typename I, int P>
struct Entries {
    I entry, count;
    template <int N>
    PB_DEVICE explicit Entries(const Space<N>& space)
        : entry(static_cast<I>(blockIdx.x) * (blockDim.x * P) + threadIdx.x),
          count(static_cast<I>(space.groups)) {}
    PB_DEVICE bool more() const { return entry < count; }
    PB_DEVICE void next() { entry += static_cast<I>(gridDim.x) * (blockDim.x * P); }
    // Those behind the end read what the last one does.
    template <int N>
    PB_DEVICE Places<I, N, P> places(const Space<N>& space) const {
        Places<I, N, P> places;
        PB_UNROLLED
        for (int k = 0; k < P; ++k) {
            const I next = entry + static_cast<I>(k * blockDim.x);
            places.of[k] = {pb::place(space, next < count ? next : count - 1), k, next < count};
        }
        return places;
    }
};
// What a thread reads of an operand, all of it before the first entry is computed.
template <typename T, int W, int P>
struct Ahead {
    Pack<T, W> packs[P];
    template <typename S>
    PB_DEVICE const Pack<T, W>& operator[](const S& step) const { return packs[step.pack]; }
};
template <int W, int K, typename T, typename I, int N, int P>
PB_DEVICE Ahead<T, W, P> ahead(const T* data, const Space<N>& space, const Places<I, N, P>& places) {
    Ahead<T, W, P> read;
    PB_UNROLLED
    for (int k = 0; k < P; ++k) read.packs[k] = loaded<W, K>(data, space, places.of[k]);
    return read;
}

// NumPy's: a NaN of either operand is the result.
template <typename T>
PB_DEVICE T maximum(T x, T y) { return x >= y || x != x ? x : y; }
template <typename T>
PB_DEVICE T minimum(T x, T y) { return x <= y || x != x ? x : y; }
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
PB_DEVICE float maximum(float x, float y) {
    float larger;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(larger) : "f"(x), "f"(y));
    return larger;
}
PB_DEVICE float minimum(float x, float y) {
    float smaller;
    asm("min.NaN.f32 %0, %1, %2;" : "=f"(smaller) : "f"(x), "f"(y));
    return smaller;
}
#endif

struct Sum {
    template <typename A>
    PB_DEVICE static A first() { return A(0); }
    template <typename A, typename T>
    PB_DEVICE static A of(A total, T term) { return total + static_cast<A>(term); }
};
struct Product {
    template <typename A>
    PB_DEVICE static A first() { return A(1); }
    template <typename A, typename T>
    PB_DEVICE static A of(A total, T term) { return total * static_cast<A>(term); }
};
struct Largest {
    template <typename A>
    PB_DEVICE static A first() { return A(-__builtin_inf()); }
    template <typename A, typename T>
    PB_DEVICE static A of(A total, T term) { return maximum(total, static_cast<A>(term)); }
};
struct Smallest {
    template <typename A>
    PB_DEVICE static A first() { return A(__builtin_inf()); }
    template <typename A, typename T>
    PB_DEVICE static A of(A total, T term) { return minimum(total, static_cast<A>(term)); }
};

template <typename Join, typename A, typename T, typename I, int N>
PB_DEVICE A joined(A total, T term, const Step<I, N>& step) {
    const A next = Join::of(total, term);  // apart from the choice, so that later passes find its parts
    return step.is_inside ? next : total;
}

// Joins the values of `lanes` neighbouring threads: all get the result.
template <typename A, typename Join>
PB_DEVICE A across(A value, int lanes, Join) {
    for (int step = (lanes < 32 ? lanes : 32) / 2; step > 0; step /= 2) {
        value = Join::of(value, __shfl_xor_sync(0xffffffffu, value, step));
    }
    if (lanes > 32) {
        __shared__ A warps[kThreads / 32];
        __syncthreads();
        if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
        __syncthreads();
        const int first = (static_cast<int>(threadIdx.x) >> (__ffs(lanes) - 1)) * (lanes >> 5);
        value = warps[first];
        for (int warp = 1; warp < lanes / 32; ++warp) value = Join::of(value, warps[first + warp]);
    }
    return value;
}

// The fibres, or parts of them, that a thread works on: all threads of a block go on together, and those
// for which none is left follow the last one, and do nothing. Lanes are a power of two. Of rows whose entries
// stay in registers each thread has `P` packs; P is 0 where it takes as many as there are.
template <typename I, int P>
struct Fibres {
    I groups, length, parts;
    int lanes, bits, together, lane, slot;
    bool columns;
    I block, blocks, group_of, part_of;
    template <int N>
    PB_DEVICE explicit Fibres(const Space<N>& space)
        : groups(static_cast<I>(space.groups)),
          length(static_cast<I>(space.length)),
          parts(P == 0 ? space.parts : 1),
          lanes(space.lanes),
          bits(__ffs(space.lanes) - 1),
          together(static_cast<int>(blockDim.x) >> bits),
          lane(static_cast<int>(threadIdx.x) & (lanes - 1)),
          slot(static_cast<int>(threadIdx.x) >> bits),
          columns(P == 0 && space.columns != 0),
          block(static_cast<I>(blockIdx.x)) {
        if (columns) {
            slot = static_cast<int>(threadIdx.x) & (together - 1);
            lane = static_cast<int>(threadIdx.x) >> (__ffs(together) - 1);
        }
        const I many = static_cast<I>(together);
        blocks = columns ? (groups + many - 1) / many * parts : (groups * parts + many - 1) / many;
        settle();
    }
    PB_DEVICE bool more() const { return block < blocks; }
    PB_DEVICE void next() {
        block += static_cast<I>(gridDim.x);
        settle();
    }
    // The group and part of a thread: all of a block's columns have one part.
    PB_DEVICE void settle() {
        const I share = columns ? block : block * static_cast<I>(together) + static_cast<I>(slot);
        const I whole = parts == 1 ? share : share / parts;
        part_of = parts == 1 ? I(0) : share - whole * parts;
        group_of = columns ? whole * static_cast<I>(together) + static_cast<I>(slot) : whole;
    }
    PB_DEVICE bool is_active() const { return group_of < groups; }
    PB_DEVICE bool is_first() const { return is_active() && lane == 0; }
    PB_DEVICE I group() const { return is_active() ? group_of : groups - 1; }
    PB_DEVICE I begin() const {
        return is_active() ? part_of * static_cast<I>(lanes) + static_cast<I>(lane) : length;
    }
    PB_DEVICE I step() const { return parts * static_cast<I>(lanes); }
    // Calls `take` for the places of a thread in its fibre.
    template <int N, typename Take>
    PB_DEVICE void each(const Space<N>& space, const Place<I, N>& group, Take take) const {
        if constexpr (P == 0) {
            PB_ROLLED
            for (I position = begin(); position < length; position += step()) {
                take(Step<I, N>{pb::place(space, group, position), 0, true});
            }
        } else {
            Step<I, N> next{group, 0, is_inside(0)};
            const int last = space.rank - 1;
            for (int n = 0; n < N; ++n) next.of[n] += begin() * static_cast<I>(space.stride[n][last]);
            PB_UNROLLED
            for (int k = 0; k < P; ++k) {
                take(next);
                next.pack = k + 1;
                next.is_inside = is_inside(k + 1);
                for (int n = 0; n < N; ++n) next.of[n] += step() * static_cast<I>(space.stride[n][last]);
            }
        }
    }
    PB_DEVICE bool is_inside(int pack) const { return begin() + static_cast<I>(pack) * step() < length; }
    // What one pass has stored of a row is there for the next.
    PB_DEVICE void wait() const {
        if (lanes > 32) __syncthreads();
        else __syncwarp();
    }
    // Joins a total over the lanes of a fibre; of columns it is there in the first one.
    template <typename A, typename Join>
    PB_DEVICE A over_lanes(A total, Join join) const {
        if (!columns) return across(total, lanes, join);
        __shared__ A rows[kThreads];
        __syncthreads();
        rows[threadIdx.x] = total;
        __syncthreads();
        for (int k = 1; k < lanes && lane == 0; ++k) total = Join::of(total, rows[slot + k * together]);
        return total;
    }
    // The same; true in the thread that stores it.
    template <typename A, typename Join>
    PB_DEVICE bool joined(A& total, Join join) const {
        total = over_lanes(total, join);
        return is_first();
    }
    // The same over all parts, by the block that is the last to have its own.
    template <typename A, typename Join>
    PB_DEVICE bool joined(A& total, Join join, const Work& work, int number) const {
        total = over_lanes(total, join);
        if (parts == 1) return is_first();
        static_assert(sizeof(A) <= 8, "a total takes a slot");
        const I slots = number * groups + group();
        unsigned* const arrived = work.arrived + slots;  // the first thread's is the block's
        volatile double* const slot_of = static_cast<double*>(work.totals) + slots * parts;
        volatile A* const totals = reinterpret_cast<volatile A*>(slot_of);
        __shared__ bool is_last;
        if (is_first()) {
            totals[part_of] = total;
            __threadfence();
        }
        __syncthreads();
        if (threadIdx.x == 0) is_last = atomicAdd(arrived, 1u) + 1 == static_cast<unsigned>(parts);
        __syncthreads();
        if (!is_last) return false;
        __threadfence();
        total = Join::template first<A>();
        for (I k = lane; k < parts && is_active(); k += static_cast<I>(lanes)) {
            total = Join::of(total, static_cast<A>(totals[k]));
        }
        total = over_lanes(total, join);
        if (threadIdx.x == 0) *arrived = 0;
        return is_first();
    }
};

// What a thread reads of a row of an operand: its packs, all of them before the first is used, or each when
// it is asked for, again in each pass.
template <typename T, int W, int K, int N, int P>
struct RowOf {
    Pack<T, W> packs[P];
    template <typename I>
    PB_DEVICE RowOf(const T* data, const Space<N>& space, const Fibres<I, P>& loop, const Place<I, N>& group)
        : packs{} {
        const I stride = static_cast<I>(space.stride[K][space.rank - 1]);
        data += group.of[K] + loop.begin() * stride;
        const I step = loop.step();
        if (stride == W) {
            PB_UNROLLED
            for (int k = 0; k < P; ++k, data += step * stride) {
                if (loop.is_inside(k)) packs[k] = *reinterpret_cast<const Pack<T, W>*>(data);
            }
            return;
        }
        PB_UNROLLED
        for (int k = 0; k < P; ++k, data += step * stride) {
            for (int entry = 0; entry < W && loop.is_inside(k); ++entry) {
                packs[k][entry] = data[entry * (stride / W)];
            }
        }
    }
    template <typename I>
    PB_DEVICE const Pack<T, W>& operator[](const Step<I, N>& step) const { return packs[step.pack]; }
};
template <typename T, int W, int K, int N>
struct RowOf<T, W, K, N, 0> {
    const T* data;
    const Space<N>& space;
    template <typename I>
    PB_DEVICE Pack<T, W> operator[](const Step<I, N>& step) const { return loaded<W, K>(data, space, step); }
};
template <int W, int K, typename T, typename I, int N, int P>
PB_DEVICE RowOf<T, W, K, N, P> row(const T* data, const Space<N>& space, const Fibres<I, P>& loop,
                                   const Place<I, N>& group) {
    if constexpr (P == 0) return {data, space};
    else return {data, space, loop, group};
}

// Totals over all rows, one for each entry of a row: those of the rows of a thread, whose packs lie at one
// place in each.
template <typename A, typename Join, int W, int P>
struct Columns {
    Pack<A, W> totals[P];
    PB_DEVICE Columns() {
        PB_UNROLLED
        for (int k = 0; k < P; ++k) {
            for (int entry = 0; entry < W; ++entry) totals[k][entry] = Join::template first<A>();
        }
    }
    template <typename T, typename I, int N>
    PB_DEVICE void take(int entry, T term, const Step<I, N>& step) {
        A& total = totals[step.pack][entry];
        total = joined<Join>(total, term, step);
    }
    // Joins those of a block, which are its part.
    template <int N>
    PB_DEVICE void store(const Space<N>& space, const Work& work, int number) const {
        const int lanes = space.lanes;
        const int lane = static_cast<int>(threadIdx.x) & (lanes - 1);
        const int length = static_cast<int>(space.length);
        A* const part = parts_of<A, W>(space, work, number) + static_cast<int64_t>(blockIdx.x) * length * W;
        __shared__ Pack<A, W> of_threads[kThreads];
        PB_UNROLLED
        for (int k = 0; k < P; ++k) {
            const int position = lane + k * lanes;
            __syncthreads();
            of_threads[threadIdx.x] = totals[k];
            __syncthreads();
            if (static_cast<int>(threadIdx.x) >= lanes || position >= length) continue;
            Pack<A, W> whole = totals[k];
            for (int thread = lane + lanes; thread < static_cast<int>(blockDim.x); thread += lanes) {
                for (int entry = 0; entry < W; ++entry) {
                    whole[entry] = Join::of(whole[entry], of_threads[thread][entry]);
                }
            }
            for (int entry = 0; entry < W; ++entry) part[position * W + entry] = whole[entry];
        }
    }
};
// Joins the parts of totals in columns, a few columns in a block.
template <typename Join, typename A, int W, int N, typename T>
PB_DEVICE void join_columns(const Space<N>& space, const Work& work, int number, T* data) {
    if (!data) return;
    const int length = static_cast<int>(space.length) * W;
    const int thread = static_cast<int>(threadIdx.x), many = static_cast<int>(blockDim.x) / kColumns;
    const int place = thread % kColumns, first = thread / kColumns;
    const int column = static_cast<int>(blockIdx.x) * kColumns + place;
    const A* const parts = parts_of<A, W>(space, work, number);
    A total = Join::template first<A>();
    for (int part = first; part < space.parts && column < length; part += many) {
        total = Join::of(total, parts[static_cast<int64_t>(part) * length + column]);
    }
    __shared__ A of_threads[kThreads];
    __syncthreads();
    of_threads[thread] = total;
    __syncthreads();
    if (first != 0 || column >= length) return;
    for (int k = 1; k < many; ++k) total = Join::of(total, of_threads[place + k * kColumns]);
    data[column] = static_cast<T>(total);
}

// NumPy's: a NaN is the result only where both operands are.
template <typename T>
PB_DEVICE T fmax(T x, T y) { return x >= y || y != y ? x : y; }
template <typename T>
PB_DEVICE T fmin(T x, T y) { return x <= y || y != y ? x : y; }
template <typename T>
PB_DEVICE T where(bool condition, T x, T y) { return condition ? x : y; }
template <typename T>
PB_DEVICE T where_stored(bool condition, T x, T y) { return condition ? x : y; }
template <typename T>
PB_DEVICE T abs(T x) { return x < T(0) ? -x : x == T(0) ? T(0) : x; }
template <typename T>
PB_DEVICE T square(T x) { return x * x; }
template <typename T>
PB_DEVICE T sign(T x) { return x != x ? x : static_cast<T>((x > T(0)) - (x < T(0))); }

// Python's: the remainder has the divisor's sign, and the quotient belongs to it. Of integers by
// zero both are zero, as NumPy's.
template <typename T>
PB_DEVICE T remainder(T x, T y) {
    const T r = ::fmod(x, y);
    return r == T(0) ? ::copysign(T(0), y) : (r < T(0)) != (y < T(0)) ? r + y : r;
}
PB_DEVICE int64_t remainder(int64_t x, int64_t y) {
    if (y == 0 || y == -1) return 0;
    const int64_t r = x % y;
    return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}
template <typename T>
PB_DEVICE T floor_divide(T x, T y) {
    if (y == T(0)) return x / y;
    const T rest = ::fmod(x, y);
    const T quotient = (x - rest) / y - (rest != T(0) && (rest < T(0)) != (y < T(0)) ? T(1) : T(0));
    return quotient == T(0) ? ::copysign(T(0), x / y) : ::rint(quotient);
}
PB_DEVICE int64_t floor_divide(int64_t x, int64_t y) {
    if (y == 0) return 0;
    if (y == -1) return static_cast<int64_t>(-static_cast<uint64_t>(x));
    return x / y - (x % y != 0 && (x < 0) != (y < 0));
}

template <typename T>
PB_DEVICE T logaddexp(T x, T y) {
    const T distance = x == y ? T(0) : abs(x - y);
    return maximum(x, y) + ::log1p(::exp(-distance));
}
template <typename T>
PB_DEVICE T logaddexp2(T x, T y) {
    const T distance = x == y ? T(0) : abs(x - y);
    return maximum(x, y) + ::log1p(::exp2(-distance)) * T(1.4426950408889634);
}
template <typename T>
PB_DEVICE T sigmoid(T x) {
    const T e = ::exp(-abs(x));
    return (x >= T(0) ? T(1) : e) / (T(1) + e);
}
template <typename T>
PB_DEVICE T softplus(T x) { return maximum(x, T(0)) + ::log1p(::exp(-abs(x))); }
template <typename T>
PB_DEVICE T sinc(T x) {
    const T t = T(3.14159265358979323846) * (x == T(0) ? T(1e-20) : x);
    return ::sin(t) / t;
}

}  // namespace pb
"""
