"""Fibres and rows that threads share, and the packs of a row that stay in registers."""

TEXT = """\
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

"""
