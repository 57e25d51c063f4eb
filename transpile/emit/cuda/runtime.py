"""The head of every CUDA file: maps of positions, sums across lanes, NumPy's own functions."""

from __future__ import annotations

RUNTIME = """\
// A position's digits in mixed radix, `size`, each times a stride: the place that an entry is broadcast from.
struct pb_map {
    int rank;
    long long size[8];
    long long stride[8];
};

template <typename I>
__device__ __forceinline__ I pb_at(const pb_map& map, I position) {
    I index = 0;
    for (int axis = map.rank - 1; axis >= 0; --axis) {
        const I size = static_cast<I>(map.size[axis]);
        index += position % size * static_cast<I>(map.stride[axis]);
        position /= size;
    }
    return index;
}

// A NaN of either operand is the result, as in NumPy.
template <typename T>
__device__ __forceinline__ T pb_maximum(T x, T y) { return x > y || x != x ? x : y; }
template <typename T>
__device__ __forceinline__ T pb_minimum(T x, T y) { return x < y || x != x ? x : y; }
template <typename T>
__device__ __forceinline__ T pb_abs(T x) { return x < T(0) ? -x : x == T(0) ? T(0) : x; }
template <typename T>
__device__ __forceinline__ T pb_square(T x) { return x * x; }
template <typename T>
__device__ __forceinline__ T pb_sign(T x) {
    return x > T(0) ? T(1) : x < T(0) ? T(-1) : x == T(0) ? T(0) : x;
}
template <typename T>
__device__ __forceinline__ T pb_remainder(T x, T y) {
    const T r = fmod(x, y);
    return r == T(0) ? copysign(T(0), y) : (r < T(0)) != (y < T(0)) ? r + y : r;
}
template <typename T>
__device__ __forceinline__ T pb_floor_divide(T x, T y) {
    if (y == T(0)) return x / y;
    const T quotient = (x - pb_remainder(x, y)) / y;
    if (quotient == T(0)) return copysign(T(0), x / y);
    const T whole = floor(quotient);
    return quotient - whole > T(0.5) ? whole + T(1) : whole;
}
template <typename T>
__device__ __forceinline__ T pb_logaddexp(T x, T y) {
    if (x == y) return x + log(T(2));
    const T difference = x - y;
    if (difference > T(0)) return x + log1p(exp(-difference));
    return difference <= T(0) ? y + log1p(exp(difference)) : difference;
}
template <typename T>
__device__ __forceinline__ T pb_sigmoid(T x) {
    const T e = exp(-fabs(x));
    return x < T(0) ? e / (T(1) + e) : T(1) / (T(1) + e);
}
template <typename T>
__device__ __forceinline__ T pb_softplus(T x) { return pb_logaddexp(T(0), x); }

struct pb_sum { template <typename T> __device__ T operator()(T x, T y) const { return x + y; } };
struct pb_prod { template <typename T> __device__ T operator()(T x, T y) const { return x * y; } };
struct pb_max { template <typename T> __device__ T operator()(T x, T y) const { return pb_maximum(x, y); } };
struct pb_min { template <typename T> __device__ T operator()(T x, T y) const { return pb_minimum(x, y); } };

// Joins the values of `lanes` neighbouring threads, a power of two up to the block's 256: all get the result.
template <typename T, typename Join>
__device__ __forceinline__ T pb_across(T value, int lanes, Join join) {
    for (int step = (lanes < 32 ? lanes : 32) / 2; step > 0; step /= 2) {
        value = join(value, __shfl_xor_sync(0xffffffffu, value, step));
    }
    if (lanes > 32) {
        __shared__ T warps[8];
        __syncthreads();
        if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
        __syncthreads();
        const int first = threadIdx.x / lanes * (lanes / 32);
        value = warps[first];
        for (int warp = 1; warp < lanes / 32; ++warp) value = join(value, warps[first + warp]);
    }
    return value;
}
"""
