// Reductions of rows: what is accumulated, in which type, and how two totals combine. Part of
// kernel/runtime.h.
#ifndef PULLBACK_KERNEL_REDUCE_H_
#define PULLBACK_KERNEL_REDUCE_H_

#include "pullback/kernel/loops/loop.h"

namespace pb {

// Independent totals of one row, so that it vectorizes and does not wait for each sum.
constexpr int64_t kLanes = 32;

// Sums and products of floats are in double, those of integers and truths in int64.
template <typename T>
struct SumOp {
    using Total = int64_t;
    static constexpr bool kHasIdentity = true;
    static Total identity() { return 0; }
    static Total combine(Total a, Total b) { return a + b; }
};
template <>
struct SumOp<float> {
    using Total = double;
    static constexpr bool kHasIdentity = true;
    static double identity() { return 0; }
    static double combine(double a, double b) { return a + b; }
};
template <>
struct SumOp<double> : SumOp<float> {};

template <typename T>
struct ProdOp {
    using Total = typename SumOp<T>::Total;
    static constexpr bool kHasIdentity = true;
    static Total identity() { return 1; }
    static Total combine(Total a, Total b) { return a * b; }
};

// A NaN among the terms is the result, as in NumPy.
template <typename T>
struct MaxOp {
    using Total = T;
    static constexpr bool kHasIdentity = false;
    static T identity() { return static_cast<T>(-__builtin_inf()); }
    static T combine(T a, T b) { return b > a || b != b ? b : a; }
};
template <typename T>
struct MinOp {
    using Total = T;
    static constexpr bool kHasIdentity = false;
    static T identity() { return static_cast<T>(__builtin_inf()); }
    static T combine(T a, T b) { return b < a || b != b ? b : a; }
};

template <typename Op, typename T>
typename Op::Total total_of_row(const T* terms, int64_t n) {
    using Total = typename Op::Total;
    Total total = Op::identity();
    int64_t i = 0;
    if (n >= kLanes) {
        Total lanes[kLanes];
        for (int64_t j = 0; j < kLanes; ++j) lanes[j] = static_cast<Total>(terms[j]);
        for (i = kLanes; i + kLanes <= n; i += kLanes) {
            for (int64_t j = 0; j < kLanes; ++j)
                lanes[j] = Op::combine(lanes[j], static_cast<Total>(terms[i + j]));
        }
        for (int64_t width = kLanes / 2; width > 0; width /= 2) {
            for (int64_t j = 0; j < width; ++j) lanes[j] = Op::combine(lanes[j], lanes[j + width]);
        }
        total = lanes[0];
    }
    for (; i < n; ++i) total = Op::combine(total, static_cast<Total>(terms[i]));
    return total;
}

template <typename Op, typename T>
typename Op::Total join_four(typename Op::Total total, T a, T b, T c, T d) {
    using Total = typename Op::Total;
    total = Op::combine(Op::combine(total, static_cast<Total>(a)), static_cast<Total>(b));
    return Op::combine(Op::combine(total, static_cast<Total>(c)), static_cast<Total>(d));
}
// Four floats are added up as such: widening each takes longer than adding it.
template <>
inline double join_four<SumOp<float>, float>(double total, float a, float b, float c, float d) {
    return total + static_cast<double>((a + b) + (c + d));
}

// Rows of a few terms, to totals one behind the other.
template <typename Op, int kWidth, typename T>
void accumulate_short(const T* terms, int64_t rows, typename Op::Total* totals) {
    using Total = typename Op::Total;
    for (int64_t r = 0; r < rows; ++r) {
        const T* row = terms + r * kWidth;
        if constexpr (kWidth == 4) {
            totals[r] = join_four<Op>(totals[r], row[0], row[1], row[2], row[3]);
        } else {
            Total total = static_cast<Total>(row[0]);
            for (int i = 1; i < kWidth; ++i) total = Op::combine(total, static_cast<Total>(row[i]));
            totals[r] = Op::combine(totals[r], total);
        }
    }
}

// Rows of a few terms, each term to a total of its own.
template <typename Op, int kWidth, typename T>
void accumulate_columns(const T* terms, int64_t rows, typename Op::Total* totals) {
    using Total = typename Op::Total;
    constexpr int kRows = 8;  // independent totals of as many rows
    constexpr int kAll = kRows * kWidth;
    Total lanes[kAll];
    for (int i = 0; i < kAll; ++i) lanes[i] = Op::identity();
    int64_t r = 0;
    for (; r + 4 * kRows <= rows; r += 4 * kRows) {
        const T* four = terms + r * kWidth;
        for (int i = 0; i < kAll; ++i)
            lanes[i] = join_four<Op>(lanes[i], four[i], four[kAll + i], four[2 * kAll + i],
                                     four[3 * kAll + i]);
    }
    for (; r < rows; ++r) {
        for (int i = 0; i < kWidth; ++i)
            lanes[i] = Op::combine(lanes[i], static_cast<Total>(terms[r * kWidth + i]));
    }
    for (int i = 0; i < kAll; ++i) totals[i % kWidth] = Op::combine(totals[i % kWidth], lanes[i]);
}

// Four rows, each term to the total of its place.
template <typename Op, typename T>
void accumulate_four(const T* terms, int64_t width, typename Op::Total* totals) {
    PB_SIMD
    for (int64_t i = 0; i < width; ++i) {
        totals[i] = join_four<Op>(totals[i], terms[i], terms[width + i], terms[2 * width + i],
                                  terms[3 * width + i]);
    }
}

template <typename Op, typename T>
void accumulate_rows(const char* buffer, int64_t width, int64_t rows, char* to, int64_t stride,
                     int64_t step) {
    using Total = typename Op::Total;
    const T* terms = reinterpret_cast<const T*>(buffer);
    if (stride == 0 && step == 0) {
        Total& total = *reinterpret_cast<Total*>(to);
        total = Op::combine(total, total_of_row<Op>(terms, width * rows));
        return;
    }
    if (stride == 0 && step == static_cast<int64_t>(sizeof(Total)) && width <= 4) {
        Total* totals = reinterpret_cast<Total*>(to);
        if (width == 4) return accumulate_short<Op, 4>(terms, rows, totals);
        if (width == 3) return accumulate_short<Op, 3>(terms, rows, totals);
        if (width == 2) return accumulate_short<Op, 2>(terms, rows, totals);
    }
    if (stride == static_cast<int64_t>(sizeof(Total)) && step == 0 && width <= 4) {
        Total* totals = reinterpret_cast<Total*>(to);
        if (width == 4) return accumulate_columns<Op, 4>(terms, rows, totals);
        if (width == 3) return accumulate_columns<Op, 3>(terms, rows, totals);
        if (width == 2) return accumulate_columns<Op, 2>(terms, rows, totals);
    }
    if (stride == static_cast<int64_t>(sizeof(Total)) && step == stride * width) {
        width *= rows;
        rows = 1;
    }
    if (stride == static_cast<int64_t>(sizeof(Total)) && step == 0) {
        for (; rows >= 4; rows -= 4, terms += 4 * width)
            accumulate_four<Op>(terms, width, reinterpret_cast<Total*>(to));
    }
    for (int64_t r = 0; r < rows; ++r, terms += width, to += step) {
        Total* totals = reinterpret_cast<Total*>(to);
        if (stride == 0) {
            *totals = Op::combine(*totals, total_of_row<Op>(terms, width));
        } else if (stride == static_cast<int64_t>(sizeof(Total))) {
            for (int64_t i = 0; i < width; ++i)
                totals[i] = Op::combine(totals[i], static_cast<Total>(terms[i]));
        } else {
            for (int64_t i = 0; i < width; ++i) {
                Total& total = *reinterpret_cast<Total*>(to + i * stride);
                total = Op::combine(total, static_cast<Total>(terms[i]));
            }
        }
    }
}

template <typename Op>
void clear_totals(char* totals, int64_t count) {
    for (int64_t i = 0; i < count; ++i)
        reinterpret_cast<typename Op::Total*>(totals)[i] = Op::identity();
}

template <typename Op>
void combine_totals(char* totals, const char* others, int64_t count) {
    using Total = typename Op::Total;
    for (int64_t i = 0; i < count; ++i) {
        Total& total = reinterpret_cast<Total*>(totals)[i];
        total = Op::combine(total, reinterpret_cast<const Total*>(others)[i]);
    }
}

template <typename Total, typename Target>
void finish_as(const Total* totals, double divisor, char* to, int64_t stride, int64_t count) {
    if (divisor == 1.0 && stride == static_cast<int64_t>(sizeof(Target))) {
        Target* results = reinterpret_cast<Target*>(to);
        PB_SIMD
        for (int64_t i = 0; i < count; ++i) results[i] = static_cast<Target>(totals[i]);
        return;
    }
    for (int64_t i = 0; i < count; ++i, to += stride) {
        const Total value = divisor == 1.0 ? totals[i] : totals[i] / static_cast<Total>(divisor);
        *reinterpret_cast<Target*>(to) = static_cast<Target>(value);
    }
}

template <typename Op>
void finish_totals(const char* from, double divisor, char* to, int64_t stride, int64_t count,
                   DLDataType dtype) {
    using Total = typename Op::Total;
    const Total* totals = reinterpret_cast<const Total*>(from);
    if (dtype.code == kDLBool)
        finish_as<Total, bool>(totals, divisor, to, stride, count);
    else if (dtype.code == kDLInt)
        finish_as<Total, int64_t>(totals, divisor, to, stride, count);
    else if (dtype.bits == 32)
        finish_as<Total, float>(totals, divisor, to, stride, count);
    else
        finish_as<Total, double>(totals, divisor, to, stride, count);
}

template <typename Op, typename T>
inline constexpr Reducer kReducer = {
    sizeof(T),        sizeof(typename Op::Total), TypeOf<T>::kDtype,  Op::kHasIdentity,
    clear_totals<Op>, accumulate_rows<Op, T>,     combine_totals<Op>, finish_totals<Op>};

template <template <typename> class Op>
const Reducer* reducer_of(DLDataType term) {
    if (term.code == kDLBool) return &kReducer<Op<bool>, bool>;
    if (term.code == kDLInt) return &kReducer<Op<int64_t>, int64_t>;
    return term.bits == 32 ? &kReducer<Op<float>, float> : &kReducer<Op<double>, double>;
}

PB_RUNTIME const Reducer* reducer(char op, DLDataType term) {
    if (op == '+') return reducer_of<SumOp>(term);
    if (op == '*') return reducer_of<ProdOp>(term);
    const bool narrow = term.bits == 32;
    if (op == '>')
        return narrow ? &kReducer<MaxOp<float>, float> : &kReducer<MaxOp<double>, double>;
    return narrow ? &kReducer<MinOp<float>, float> : &kReducer<MinOp<double>, double>;
}

}  // namespace pb

#endif  // PULLBACK_KERNEL_REDUCE_H_
