"""Joins of totals: sums, products, the largest and smallest, in a thread and across threads."""

TEXT = """\
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

"""
