"""The entries that a thread computes, and what it reads of them ahead."""

TEXT = """\
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

"""
