// Reductions of rows: what is accumulated, in which type, and how two totals combine.
#ifndef PULLBACK_KERNEL_REDUCE_H_
#define PULLBACK_KERNEL_REDUCE_H_

#include "kernel_loop.h"

#ifdef PB_OPENMP_SIMD
#define PB_SIMD_SUM(total) _Pragma(PB_TEXT(omp simd reduction(+ : total)))
#define PB_SIMD_PRODUCT(total) _Pragma(PB_TEXT(omp simd reduction(* : total)))
#else
#define PB_SIMD_SUM(total)
#define PB_SIMD_PRODUCT(total)
#endif
#define PB_TEXT(text) #text

namespace pb {

template <typename T, typename U>
constexpr bool kSameType = false;
template <typename T>
constexpr bool kSameType<T, T> = true;

// Floats are summed in double: rows by vector lanes, then row by row.
template <typename T>
struct TotalOf {
    using Type = int64_t;
};
template <>
struct TotalOf<float> {
    using Type = double;
};
template <>
struct TotalOf<double> {
    using Type = double;
};

// What all reductions share: totals that a whole row goes into, or one term each.
template <typename Op, typename T, typename Sum>
struct Reducer {
    using Term = T;
    using Total = Sum;

    template <typename Target>
    static constexpr bool keeps() {
        return kSameType<T, Target>;
    }

    static void accumulate(const char* row, char* to, int64_t stride, int64_t n) {
        const T* terms = reinterpret_cast<const T*>(row);
        if (stride == 0) {
            Total& total = *reinterpret_cast<Total*>(to);
            total = Op::combine(total, Op::of_row(terms, n));
            return;
        }
        for (int64_t i = 0; i < n; ++i) {
            Total& total = *reinterpret_cast<Total*>(to + i * stride);
            total = Op::combine(total, static_cast<Total>(terms[i]));
        }
    }
};

template <typename T>
struct Sum : Reducer<Sum<T>, T, typename TotalOf<T>::Type> {
    using Total = typename TotalOf<T>::Type;
    static constexpr bool kHasIdentity = true;
    static Total identity() { return 0; }
    static Total combine(Total a, Total b) { return a + b; }
    static Total of_row(const T* terms, int64_t n) {
        Total total = 0;
        PB_SIMD_SUM(total)
        for (int64_t i = 0; i < n; ++i) total += static_cast<Total>(terms[i]);
        return total;
    }
};

template <typename T>
struct Prod : Reducer<Prod<T>, T, typename TotalOf<T>::Type> {
    using Total = typename TotalOf<T>::Type;
    static constexpr bool kHasIdentity = true;
    static Total identity() { return 1; }
    static Total combine(Total a, Total b) { return a * b; }
    static Total of_row(const T* terms, int64_t n) {
        Total total = 1;
        PB_SIMD_PRODUCT(total)
        for (int64_t i = 0; i < n; ++i) total *= static_cast<Total>(terms[i]);
        return total;
    }
};

// A NaN among the terms is the result, as in NumPy.
template <typename T>
struct Max : Reducer<Max<T>, T, T> {
    static constexpr bool kHasIdentity = false;
    static T identity() { return static_cast<T>(-__builtin_inf()); }
    static T combine(T a, T b) { return b > a || b != b ? b : a; }
    static T of_row(const T* terms, int64_t n) {
        T total = terms[0];
        for (int64_t i = 1; i < n; ++i) total = combine(total, terms[i]);
        return total;
    }
};

template <typename T>
struct Min : Reducer<Min<T>, T, T> {
    static constexpr bool kHasIdentity = false;
    static T identity() { return static_cast<T>(__builtin_inf()); }
    static T combine(T a, T b) { return b < a || b != b ? b : a; }
    static T of_row(const T* terms, int64_t n) {
        T total = terms[0];
        for (int64_t i = 1; i < n; ++i) total = combine(total, terms[i]);
        return total;
    }
};

}  // namespace pb

#endif  // PULLBACK_KERNEL_REDUCE_H_
