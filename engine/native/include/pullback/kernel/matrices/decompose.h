// Eigenvectors, orthogonal factors and singular values of the matrices of a stack, by LAPACK.
#ifndef PULLBACK_KERNEL_DECOMPOSE_H_
#define PULLBACK_KERNEL_DECOMPOSE_H_

#include "pullback/kernel/matrices/lapack.h"

namespace pb {

// The eigenvalues of a symmetric matrix in ascending order and their vectors (syevd), which reads
// one triangle: the lower, "L", or the upper, "U".
template <typename U, typename T>
PB_ONCE void eigh_of(Context& context, const View<U>& a, const View<T>& values,
                     const View<T>& vectors, char triangle) {
    const Shape stack = stack_of(context, a.shape, true);
    if (!context.ok()) return;
    int n = as_int(a.shape[-1]);
    char job = 'V';
    int info = 0;
    int size = -1;
    int count = -1;
    T optimal = 1;
    int optimal_integers = 1;
    if (n > 0) {
        lapack(T{}).syevd(&job, &triangle, &n, nullptr, &n, nullptr, &optimal, &size,
                          &optimal_integers, &count, &info);
    }
    size = static_cast<int>(optimal);
    count = optimal_integers;
    T* matrix = columns_for<T>(context, n, n);
    T* found = columns_for<T>(context, n, 1);
    T* work = columns_for<T>(context, size, 1);
    int* integers = columns_for<int>(context, count, 1);
    if (!context.ok() || context.dry() || n == 0) return;
    each_place(stack, [&](const int64_t* index) {
        if (!context.ok()) return;
        take_columns(a, index, matrix);
        lapack(T{}).syevd(&job, &triangle, &n, matrix, &n, found, work, &size, integers, &count,
                          &info);
        if (!factored(context, info)) return;
        if (values.data)
            give_columns(found, n, expand_dims(values, 1u << values.shape.ndim), index);
        if (vectors.data) give_columns(matrix, n, vectors, index);
    });
}

template <typename U, typename T>
PB_ONCE void eigh(Context& context, const View<U>& a, const View<T>& values,
                  const View<T>& vectors) {
    eigh_of(context, a, values, vectors, 'L');
}

template <typename U, typename T>
PB_ONCE void eigh_upper(Context& context, const View<U>& a, const View<T>& values,
                        const View<T>& vectors) {
    eigh_of(context, a, values, vectors, 'U');
}

// A = Q R with as many columns of Q as A has rows or columns, the fewer (geqrf and orgqr).
template <typename U, typename T>
PB_ONCE void qr(Context& context, const View<U>& a, const View<T>& q, const View<T>& r) {
    const Shape stack = stack_of(context, a.shape, false);
    if (!context.ok()) return;
    int m = as_int(a.shape[-2]);
    int n = as_int(a.shape[-1]);
    int k = m < n ? m : n;
    int info = 0;
    int size = -1;
    T optimal[2] = {1, 1};
    if (k > 0) {
        lapack(T{}).geqrf(&m, &n, nullptr, &m, nullptr, &optimal[0], &size, &info);
        lapack(T{}).orgqr(&m, &k, &k, nullptr, &m, nullptr, &optimal[1], &size, &info);
    }
    size = static_cast<int>(optimal[0] > optimal[1] ? optimal[0] : optimal[1]);
    T* matrix = columns_for<T>(context, m, n);
    T* triangle = columns_for<T>(context, k, n);
    T* factors = columns_for<T>(context, k, 1);
    T* work = columns_for<T>(context, size, 1);
    if (!context.ok() || context.dry() || k == 0) return;
    each_place(stack, [&](const int64_t* index) {
        if (!context.ok()) return;
        take_columns(a, index, matrix);
        lapack(T{}).geqrf(&m, &n, matrix, &m, factors, work, &size, &info);
        if (!factored(context, info)) return;
        for (int64_t j = 0; j < n; ++j) {
            for (int64_t i = 0; i < k; ++i) triangle[j * k + i] = i <= j ? matrix[j * m + i] : T(0);
        }
        lapack(T{}).orgqr(&m, &k, &k, matrix, &m, factors, work, &size, &info);
        if (!factored(context, info)) return;
        if (q.data) give_columns(matrix, m, q, index);
        if (r.data) give_columns(triangle, k, r, index);
    });
}

// A = U diag(s) V^T with as many singular values as A has rows or columns, the fewer (gesdd).
template <typename U, typename T>
PB_ONCE void svd(Context& context, const View<U>& a, const View<T>& u, const View<T>& s,
                 const View<T>& vh) {
    const Shape stack = stack_of(context, a.shape, false);
    if (!context.ok()) return;
    int m = as_int(a.shape[-2]);
    int n = as_int(a.shape[-1]);
    int k = m < n ? m : n;
    char job = 'S';
    int info = 0;
    int size = -1;
    T optimal = 1;
    if (k > 0) {
        lapack(T{}).gesdd(&job, &m, &n, nullptr, &m, nullptr, nullptr, &m, nullptr, &k, &optimal,
                          &size, nullptr, &info);
    }
    size = static_cast<int>(optimal);
    T* matrix = columns_for<T>(context, m, n);
    T* left = columns_for<T>(context, m, k);
    T* found = columns_for<T>(context, k, 1);
    T* right = columns_for<T>(context, k, n);
    T* work = columns_for<T>(context, size, 1);
    int* integers = columns_for<int>(context, k, 8);
    if (!context.ok() || context.dry() || k == 0) return;
    each_place(stack, [&](const int64_t* index) {
        if (!context.ok()) return;
        take_columns(a, index, matrix);
        lapack(T{}).gesdd(&job, &m, &n, matrix, &m, found, left, &m, right, &k, work, &size,
                          integers, &info);
        if (!factored(context, info)) return;
        if (u.data) give_columns(left, m, u, index);
        if (s.data) give_columns(found, k, expand_dims(s, 1u << s.shape.ndim), index);
        if (vh.data) give_columns(right, k, vh, index);
    });
}

// The pseudoinverse V diag(1 / s) U^T, where singular values of at most `least` times the largest
// count as zero.
template <typename U, typename T>
PB_ONCE void pinv(Context& context, const View<U>& a, double least, const View<T>& result) {
    const View<T> u = context.scratch<T>(part_shape(context, a.shape, "mk"));
    const View<T> s = context.scratch<T>(part_shape(context, a.shape, "k"));
    const View<T> vh = context.scratch<T>(part_shape(context, a.shape, "kn"));
    svd(context, a, u, s, vh);
    if (!computes(context, result)) return;
    Shape stack = result.shape;
    stack.ndim -= 2;
    const int64_t m = a.shape[-2];
    const int64_t n = a.shape[-1];
    const int64_t k = m < n ? m : n;
    each_place(result.shape, [&](const int64_t* index) { entry(result, index) = T(0); });
    if (k == 0) return;
    each_place(stack, [&](const int64_t* index) {
        const T* values = &entry(s, index);
        const T* left = &entry(u, index);
        const T* right = &entry(vh, index);
        T* to = &entry(result, index);
        const int64_t row = result.strides[stack.ndim];
        const int64_t column = result.strides[stack.ndim + 1];
        for (int64_t p = 0; p < k; ++p) {
            if (!(values[p] > static_cast<T>(least) * values[0])) continue;
            for (int64_t i = 0; i < n; ++i) {
                const T factor = right[p * n + i] / values[p];
                for (int64_t j = 0; j < m; ++j)
                    to[i * row + j * column] += factor * left[j * k + p];
            }
        }
    });
}

}  // namespace pb

#endif  // PULLBACK_KERNEL_DECOMPOSE_H_
