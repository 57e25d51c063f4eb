// Solutions, inverses, determinants and Cholesky factors of the matrices of a stack, by LAPACK.
#ifndef PULLBACK_KERNEL_SOLVE_H_
#define PULLBACK_KERNEL_SOLVE_H_

#include "pullback/kernel/math/functions.h"
#include "pullback/kernel/matrices/lapack.h"

namespace pb {

// The shape of `solve(a, b)`: a `b` of one axis is one column.
PB_SETUP inline Shape solved_shape(Outcome& outcome, const Shape& a, const Shape& b) {
    Shape shape = stack_of(outcome, a, true);
    if (!outcome.ok()) return shape;
    const bool line = b.ndim == 1;
    if (!line) {
        outcome.require(join(shape, stack_of(outcome, b, false)), PB_UNSUPPORTED,
                        "stacks of matrices do not broadcast");
    }
    outcome.require(b[line ? -1 : -2] == a[-1], PB_UNSUPPORTED, "sides of other lengths");
    if (!outcome.require(shape.ndim + 2 <= PB_MAX_DIMS, PB_UNSUPPORTED, "more than 8 axes"))
        return shape;
    shape.at[shape.ndim++] = a[-1];
    if (!line) shape.at[shape.ndim++] = b[-1];
    return shape;
}

// A X = B by Gauss's elimination with pivots (LAPACK's gesv).
template <typename T>
PB_ONCE void solve(Context& context, View<const T> a, View<const T> b, View<T> result) {
    const Shape shape = solved_shape(context, a.shape, b.shape);
    if (!context.ok()) return;
    if (b.shape.ndim == 1) {
        b = expand_dims(b, 2u);
        result = expand_dims(result, 1u << shape.ndim);
    }
    Shape stack = result.shape;
    stack.ndim -= 2;
    int n = as_int(a.shape[-1]);
    int columns = as_int(b.shape[-1]);
    T* left = columns_for<T>(context, n, n);
    T* right = columns_for<T>(context, n, columns);
    int* pivots = columns_for<int>(context, n, 1);
    if (!computes(context, result) || n == 0 || columns == 0) return;
    Shape whole = stack;
    whole.ndim += 2;
    whole.at[stack.ndim] = whole.at[stack.ndim + 1] = n;
    a = broadcast_to(context, a, whole);
    b = broadcast_to(context, b, result.shape);
    each_place(stack, [&](const int64_t* index) {
        if (!context.ok()) return;
        take_columns(a, index, left);
        take_columns(b, index, right);
        int info = 0;
        lapack(T{}).gesv(&n, &columns, left, &n, pivots, right, &n, &info);
        if (factored(context, info)) give_columns(right, n, result, index);
    });
}

template <typename A, typename B, typename T>
void solve(Context& context, const View<A>& a, const View<B>& b, const View<T>& result) {
    solve<T>(context, a.read_only(), b.read_only(), result);
}

// The inverse, from the triangles of A (getrf and getri): three quarters of the work of A X = I.
template <typename U, typename T>
PB_ONCE void inv(Context& context, const View<U>& a, const View<T>& result) {
    const Shape stack = stack_of(context, a.shape, true);
    if (!context.ok()) return;
    int n = as_int(a.shape[-1]);
    int info = 0;
    int size = -1;
    T optimal = 1;
    if (n > 0) lapack(T{}).getri(&n, nullptr, &n, nullptr, &optimal, &size, &info);
    size = static_cast<int>(optimal);
    T* matrix = columns_for<T>(context, n, n);
    T* work = columns_for<T>(context, size, 1);
    int* pivots = columns_for<int>(context, n, 1);
    if (!computes(context, result) || n == 0) return;
    each_place(stack, [&](const int64_t* index) {
        if (!context.ok()) return;
        take_columns(a, index, matrix);
        lapack(T{}).getrf(&n, &n, matrix, &n, pivots, &info);
        if (!factored(context, info)) return;
        lapack(T{}).getri(&n, matrix, &n, pivots, work, &size, &info);
        if (factored(context, info)) give_columns(matrix, n, result, index);
    });
}

// The sign and the logarithm of a determinant: of the triangle's diagonal that elimination leaves
// (getrf), where each exchange of two rows turns the sign. A singular matrix has 0 and -inf.
template <typename U, typename T>
PB_ONCE void slogdet(Context& context, const View<U>& a, const View<T>& sign,
                     const View<T>& logarithm) {
    const Shape stack = stack_of(context, a.shape, true);
    if (!context.ok()) return;
    int n = as_int(a.shape[-1]);
    T* matrix = columns_for<T>(context, n, n);
    int* pivots = columns_for<int>(context, n, 1);
    if (!computes(context, sign) && !computes(context, logarithm)) return;
    each_place(stack, [&](const int64_t* index) {
        take_columns(a, index, matrix);
        int info = 0;
        if (n > 0) lapack(T{}).getrf(&n, &n, matrix, &n, pivots, &info);
        T turned = info > 0 ? T(0) : T(1);
        double sum = info > 0 ? -__builtin_inf() : 0.0;
        for (int64_t k = 0; k < n && info == 0; ++k) {
            const T on_diagonal = matrix[k * n + k];
            if (pivots[k] != k + 1) turned = -turned;
            if (on_diagonal < 0) turned = -turned;
            sum += log(abs(double{on_diagonal}));
        }
        if (sign.data) entry(sign, index) = turned;
        if (logarithm.data) entry(logarithm, index) = static_cast<T>(sum);
    });
}

template <typename U, typename T>
PB_ONCE void det(Context& context, const View<U>& a, const View<T>& result) {
    const View<T> sign = context.scratch<T>(result.shape);
    slogdet(context, a, sign, result);
    if (!computes(context, result)) return;
    each_place(result.shape, [&](const int64_t* index) {
        T& one = entry(result, index);
        one = entry(sign, index) * static_cast<T>(exp(double{one}));
    });
}

// The lower triangle L of A = L L^T (potrf), which reads the lower triangle of A.
template <typename U, typename T>
PB_ONCE void cholesky(Context& context, const View<U>& a, const View<T>& result) {
    const Shape stack = stack_of(context, a.shape, true);
    if (!context.ok()) return;
    int n = as_int(a.shape[-1]);
    T* matrix = columns_for<T>(context, n, n);
    if (!computes(context, result) || n == 0) return;
    each_place(stack, [&](const int64_t* index) {
        if (!context.ok()) return;
        take_columns(a, index, matrix);
        char lower = 'L';
        int info = 0;
        lapack(T{}).potrf(&lower, &n, matrix, &n, &info);
        for (int64_t j = 1; j < n; ++j) {
            for (int64_t i = 0; i < j; ++i) matrix[j * n + i] = T(0);
        }
        if (factored(context, info)) give_columns(matrix, n, result, index);
    });
}

}  // namespace pb

#endif  // PULLBACK_KERNEL_SOLVE_H_
