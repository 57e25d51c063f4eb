// Matrix products: the caller's `gemm` for large ones, plain loops for small ones.
#ifndef PULLBACK_KERNEL_LINALG_H_
#define PULLBACK_KERNEL_LINALG_H_

#include "kernel_index.h"

namespace pb {

constexpr int64_t kSmallProduct = 16384;  // multiplications; fewer are not worth a call

// The shape of `matmul(a, b)`: vectors lose their axis, stacks broadcast.
PB_SETUP inline Shape matmul_shape(Outcome& outcome, const Shape& a, const Shape& b) {
    Shape result;
    if (!outcome.require(a.ndim > 0 && b.ndim > 0, PB_INVALID, "matmul of a scalar")) return result;
    const int64_t terms = b[b.ndim > 1 ? -2 : -1];
    if (!outcome.require(a[-1] == terms, PB_INVALID, "matmul of shapes that do not fit"))
        return result;
    Shape stack = a;
    stack.ndim = a.ndim > 2 ? a.ndim - 2 : 0;
    Shape other = b;
    other.ndim = b.ndim > 2 ? b.ndim - 2 : 0;
    outcome.require(join(stack, other), PB_INVALID, "stacks of matrices do not broadcast");
    result = stack;
    if (a.ndim > 1) result.at[result.ndim++] = a[-2];
    if (b.ndim > 1) result.at[result.ndim++] = b[-1];
    return result;
}

// c = a b for one matrix of m x k by k x n.
template <typename T>
void multiply_matrices(int64_t m, int64_t n, int64_t k, const T* a, int64_t a_row, int64_t a_column,
                       const T* b, int64_t b_row, int64_t b_column, T* c, int64_t c_row,
                       int64_t c_column) {
    for (int64_t i = 0; i < m; ++i) {
        for (int64_t j = 0; j < n; ++j) c[i * c_row + j * c_column] = T{0};
        for (int64_t p = 0; p < k; ++p) {
            const T factor = a[i * a_row + p * a_column];
            const T* row = b + p * b_row;
            T* sums = c + i * c_row;
            if (b_column == 1 && c_column == 1) {
                PB_SIMD
                for (int64_t j = 0; j < n; ++j) sums[j] += factor * row[j];
            } else {
                for (int64_t j = 0; j < n; ++j) sums[j * c_column] += factor * row[j * b_column];
            }
        }
    }
}

// Writes `matmul(a, b)` to `result`, which has the shape that `matmul_shape` gives.
template <typename A, typename B, typename T>
PB_SETUP void matmul(Context& context, const View<A>& x1, const View<B>& x2, View<T> result) {
    if (!context.ok() || context.dry() || !result.data) return;
    View<const T> a = x1.read_only();
    View<const T> b = x2.read_only();
    if (b.shape.ndim == 1) {
        b = expand_dims(b, 2u);
        result = expand_dims(result, 1u << result.shape.ndim);
    }
    if (a.shape.ndim == 1) {
        a = expand_dims(a, 1u);
        result = expand_dims(result, 1u << (result.shape.ndim - 1));
    }
    const int stack = result.shape.ndim - 2;
    const int64_t m = result.shape[-2];
    const int64_t n = result.shape[-1];
    const int64_t k = a.shape[-1];
    Shape stacks = result.shape;
    stacks.ndim = stack;
    const auto strides_of = [&](const auto& view) {
        auto matrix = view;
        const int lead = result.shape.ndim - view.shape.ndim;
        for (int d = result.shape.ndim - 1; d >= 0; --d) {
            matrix.strides[d] = d < lead || (d < stack && view.shape.at[d - lead] == 1)
                                    ? 0
                                    : view.strides[d - lead];
        }
        return matrix;
    };
    const View<const T> left = strides_of(a);
    const View<const T> right = strides_of(b);
    const bool dense =
        (n == 1 || result.strides[stack + 1] == 1) && (m == 1 || result.strides[stack] == n);
    const pb_runtime* runtime = context.runtime();
    const bool large = runtime && runtime->gemm && dense && m * n * k >= kSmallProduct;
    int64_t index[PB_MAX_DIMS] = {};
    const int64_t count = stacks.size();
    for (int64_t s = 0; s < count; ++s) {
        const T* from_a = left.data;
        const T* from_b = right.data;
        T* to = result.data;
        for (int d = 0; d < stack; ++d) {
            from_a += index[d] * left.strides[d];
            from_b += index[d] * right.strides[d];
            to += index[d] * result.strides[d];
        }
        if (large) {
            runtime->gemm(runtime->context, 8 * static_cast<int32_t>(sizeof(T)), m, n, k, from_a,
                          left.strides[stack], left.strides[stack + 1], from_b,
                          right.strides[stack], right.strides[stack + 1], to);
        } else {
            multiply_matrices(m, n, k, from_a, left.strides[stack], left.strides[stack + 1], from_b,
                              right.strides[stack], right.strides[stack + 1], to,
                              result.strides[stack], result.strides[stack + 1]);
        }
        for (int d = stack - 1; d >= 0 && ++index[d] == stacks.at[d]; --d) index[d] = 0;
    }
}

}  // namespace pb

#endif  // PULLBACK_KERNEL_LINALG_H_
