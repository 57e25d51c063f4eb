"""Totals over all rows, one for each column, and how their parts are joined."""

TEXT = """\
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

"""
