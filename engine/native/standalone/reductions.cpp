// Reductions over axes.
#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels.h"
#include "library.h"
#include "loops.h"
#include "pullback/operators.h"
#include "shapes.h"

namespace pullback::standalone {
namespace {

/// An array as blocks of `count` rows of `width` values, of which each block gives one row.
struct Blocks {
    std::int64_t outer, count, width;
};

/// The operand with the reduced axes last (or where they are, if they stand together), and the
/// result's shape.
struct Reduction {
    Tensor operand;
    Blocks blocks;
    Shape shape;

    explicit Reduction(const Saved& saved) {
        const Tensor a = saved.operand();
        const Shape extents = a.shape();
        std::vector<std::size_t> axes = axes_of(saved.attribute("axis"), extents.size());
        std::sort(axes.begin(), axes.end());
        const bool keepdims = saved.attribute("keepdims").truth();
        Shape order;
        std::int64_t reduced = 1;
        for (std::size_t axis = 0; axis < extents.size(); ++axis) {
            if (std::binary_search(axes.begin(), axes.end(), axis)) {
                reduced *= extents[axis];
                if (keepdims) shape.push_back(1);
            } else {
                order.push_back(static_cast<std::int64_t>(axis));
                shape.push_back(extents[axis]);
            }
        }
        std::int64_t width = 1;
        const bool together = axes.empty() || axes.back() - axes.front() + 1 == axes.size();
        if (together && !axes.empty()) {
            for (std::size_t k = axes.back() + 1; k < extents.size(); ++k) width *= extents[k];
            operand = contiguous(a);
        } else {
            for (const std::size_t axis : axes) order.push_back(static_cast<std::int64_t>(axis));
            operand = contiguous(transpose(a, order));
        }
        blocks = {width == 0 ? 0 : product(shape) / width, reduced, width};
    }
};

/// Sums in pairs, so that rounding grows with the logarithm of the count.
template <typename T>
T sum_in_pairs(const T* values, std::int64_t count) {
    if (count > 128) {
        const std::int64_t half = count / 2 / 8 * 8;
        return sum_in_pairs(values, half) + sum_in_pairs(values + half, count - half);
    }
    T lanes[8] = {};
    std::int64_t i = 0;
    for (; i + 8 <= count; i += 8) {
        for (int k = 0; k < 8; ++k) lanes[k] += values[i + k];
    }
    T rest{};
    for (; i < count; ++i) rest += values[i];
    return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) +
           ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7])) + rest;
}

/// into[j] = combine(into[j], rows[i][j]) over all rows, from `start`.
template <typename T, typename Combine>
void combine_rows(const T* from, const Blocks& blocks, T start, Combine&& combine, T* to) {
    for (std::int64_t block = 0; block < blocks.outer; ++block) {
        T* row = to + block * blocks.width;
        std::fill(row, row + blocks.width, start);
        for (std::int64_t i = 0; i < blocks.count; ++i) {
            const T* next = from + (block * blocks.count + i) * blocks.width;
            for (std::int64_t j = 0; j < blocks.width; ++j) row[j] = combine(row[j], next[j]);
        }
    }
}

template <typename Body>
Tensors reduce(const Reduction& reduction, Body&& body) {
    const Tensor made = allocate(Like{reduction.operand.dtype(), reduction.shape});
    with_type(made.dtype(), [&](auto type) {
        using T = decltype(type);
        body(elements<const T>(reduction.operand), elements<T>(made));
    });
    return {made};
}

/// Truths add up as integers.
Reduction counting(const Saved& saved) {
    Reduction reduction(saved);
    if (same(reduction.operand.dtype(), kBool)) {
        reduction.operand = as_dtype(reduction.operand, kInt64);
    }
    return reduction;
}

Tensors sum(const Saved& saved) {
    const Reduction reduction = counting(saved);
    const Blocks& blocks = reduction.blocks;
    return reduce(reduction, [&]<typename T>(const T* from, T* to) {
        if (blocks.width == 1) {
            for (std::int64_t block = 0; block < blocks.outer; ++block) {
                to[block] = sum_in_pairs(from + block * blocks.count, blocks.count);
            }
        } else {
            combine_rows(from, blocks, T{}, [](T a, T b) { return static_cast<T>(a + b); }, to);
        }
    });
}

Tensors prod(const Saved& saved) {
    const Reduction reduction = counting(saved);
    return reduce(reduction, [&]<typename T>(const T* from, T* to) {
        combine_rows(
            from, reduction.blocks, T{1}, [](T a, T b) { return static_cast<T>(a * b); }, to);
    });
}

/// The extreme value; a NaN is one wherever it stands.
template <bool largest>
Tensors extreme(const Saved& saved) {
    const Reduction reduction(saved);
    if (reduction.blocks.count == 0 && reduction.blocks.outer * reduction.blocks.width > 0) {
        throw Error("ValueError: " + saved.of().name + " of no values");
    }
    return reduce(reduction, [&]<typename T>(const T* from, T* to) {
        T start = largest ? std::numeric_limits<T>::lowest() : std::numeric_limits<T>::max();
        if constexpr (std::numeric_limits<T>::has_infinity) {
            start =
                largest ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::infinity();
        }
        combine_rows(
            from, reduction.blocks, start,
            [](T a, T b) { return (largest ? b > a : b < a) || b != b ? b : a; }, to);
    });
}

template <bool every>
Tensors truth_of_all(const Saved& saved) {
    Reduction reduction(saved);
    reduction.operand = as_dtype(reduction.operand, kBool);
    return reduce(reduction, [&]<typename T>(const T* from, T* to) {
        combine_rows(
            from, reduction.blocks, static_cast<T>(every),
            [](T a, T b) { return static_cast<T>(every ? a && b : a || b); }, to);
    });
}

/// How many values each result is of.
double terms(const Saved& saved, const Tensor& result) {
    const std::int64_t size = saved.input(0).size();
    return result.size() == 0 ? 0.0 : static_cast<double>(size / result.size());
}

Tensor as_float(const Tensor& a) {
    return value_of(a).is_number || a.dtype().code != kDLFloat ? as_dtype(a, kFloat64) : a;
}

Tensors mean(const Saved& saved) {
    const Tensor total = pullback::sum(as_float(saved.input(0)), saved.attribute("axis"),
                                       saved.attribute("keepdims"));
    return {total / terms(saved, total)};
}

Tensor variance(const Saved& saved) {
    const Tensor a = as_float(saved.input(0));
    const Tensor distance = a - pullback::mean(a, saved.attribute("axis"), true);
    const Tensor total =
        pullback::sum(distance * distance, saved.attribute("axis"), saved.attribute("keepdims"));
    return total / (terms(saved, total) - saved.attribute("ddof").number());
}

Tensors var(const Saved& saved) { return {variance(saved)}; }
Tensors deviation(const Saved& saved) { return {pullback::sqrt(variance(saved))}; }

}  // namespace

void add_reductions(Library& library) {
    library.add_primitive("sum", sum);
    library.add_primitive("mean", mean);
    library.add_primitive("max", extreme<true>);
    library.add_primitive("min", extreme<false>);
    library.add_primitive("prod", prod);
    library.add_primitive("var", var);
    library.add_primitive("std", deviation);
    library.add_constant("all", truth_of_all<true>, 1, {{"axis", none}, {"keepdims", false}});
    library.add_constant("any", truth_of_all<false>, 1, {{"axis", none}, {"keepdims", false}});
}

}  // namespace pullback::standalone
