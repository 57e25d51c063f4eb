// Masks, and functions entry by entry whose derivative is zero.
#include <cmath>
#include <limits>

#include "kernels.h"
#include "library.h"
#include "loops.h"
#include "shapes.h"

namespace pullback::standalone {
namespace {

struct Pair {
    Tensor x, y;
    Shape shape;
};

Pair pair_of(const Saved& saved) {
    const Tensor operands[] = {saved.input(0), saved.input(1)};
    const DLDataType dtype = promoted(operands);
    Pair pair{as_dtype(operands[0], dtype), as_dtype(operands[1], dtype), {}};
    pair.shape = broadcast(pair.x.shape(), pair.y.shape());
    return pair;
}

/// function(x, y) for each pair of entries, as truths.
template <typename Function>
Tensors mask_of_two(const Saved& saved) {
    const Pair pair = pair_of(saved);
    Tensor made = allocate(Like{kBool, pair.shape});
    with_type(pair.x.dtype(), [&](auto type) {
        using T = decltype(type);
        map<bool, T, T>(Function{}, *made.get(), *pair.x.get(), *pair.y.get());
    });
    return {made};
}

/// function(x) for each entry, as truths.
template <typename Function>
Tensors mask_of_one(const Saved& saved) {
    const Tensor x = as_dtype(saved.input(0), kFloat64);
    Tensor made = allocate(Like{kBool, x.shape()});
    map<bool, double>(Function{}, *made.get(), *x.get());
    return {made};
}

/// Of truths alone.
template <typename Function>
Tensors of_truths(const Saved& saved) {
    const Pair pair = pair_of(saved);
    if (!same(pair.x.dtype(), kBool)) {
        throw Error("TypeError: " + saved.of().name + " of bits needs the Python engine");
    }
    return mask_of_two<Function>(saved);
}

/// function(x) for each entry, in the type of x.
template <typename Function>
Tensors stepwise(const Saved& saved) {
    const Tensor given = saved.input(0);
    const Tensor x = as_dtype(given, promoted(std::span(&given, 1)));
    Tensor made = allocate(like(x));
    with_type(x.dtype(), [&](auto type) {
        using T = decltype(type);
        map<T, T>([](T value) { return static_cast<T>(Function{}(static_cast<double>(value))); },
                  *made.get(), *x.get());
    });
    return {made};
}

Tensors floor_divide(const Saved& saved) {
    const Pair pair = pair_of(saved);
    Tensor made = allocate(Like{pair.x.dtype(), pair.shape});
    with_type(pair.x.dtype(), [&](auto type) {
        using T = decltype(type);
        map<T, T, T>(
            [](T x, T y) {
                return static_cast<T>(std::floor(static_cast<double>(x) / static_cast<double>(y)));
            },
            *made.get(), *pair.x.get(), *pair.y.get());
    });
    return {made};
}

struct And {
    template <typename T>
    bool operator()(T x, T y) const {
        return x != T{} && y != T{};
    }
};
struct Or {
    template <typename T>
    bool operator()(T x, T y) const {
        return x != T{} || y != T{};
    }
};
struct Xor {
    template <typename T>
    bool operator()(T x, T y) const {
        return (x != T{}) != (y != T{});
    }
};
struct Not {
    bool operator()(double x) const { return x == 0; }
};
struct IsNan {
    bool operator()(double x) const { return std::isnan(x); }
};
struct IsInfinite {
    bool operator()(double x) const { return std::isinf(x); }
};
struct IsFinite {
    bool operator()(double x) const { return std::isfinite(x); }
};
struct SignBit {
    bool operator()(double x) const { return std::signbit(x); }
};
struct Sign {
    double operator()(double x) const { return std::isnan(x) ? x : (x > 0) - (x < 0); }
};
struct Floor {
    double operator()(double x) const { return std::floor(x); }
};
struct Ceil {
    double operator()(double x) const { return std::ceil(x); }
};
struct Trunc {
    double operator()(double x) const { return std::trunc(x); }
};
struct ToEven {
    double operator()(double x) const { return std::nearbyint(x); }
};

Tensors rounded(const Saved& saved) {
    const Attribute& decimals = saved.attribute("decimals");
    if (!decimals.is_none() && decimals.integer() != 0) {
        throw Error(
            "RuntimeError: round to decimals needs Python; write round(x * 100.0) / 100.0 for two "
            "of them");
    }
    return stepwise<ToEven>(saved);
}

/// A bound that is not given is infinite.
Tensors clip(const Saved& saved) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const Tensor lower = saved.input(1), upper = saved.input(2);
    const Tensor inputs[] = {saved.input(0), lower ? lower : Tensor(-kInfinity),
                             upper ? upper : Tensor(kInfinity)};
    return {run_kernel(saved.of(), inputs)};
}

Tensors invert(const Saved& saved) {
    if (!same(tensor_of(saved.input(0)).dtype(), kBool)) {
        throw Error("TypeError: invert of bits needs the Python engine");
    }
    return mask_of_one<Not>(saved);
}

}  // namespace

void add_comparisons(Library& library) {
    library.add_constant("less", mask_of_two<std::less<>>, 2);
    library.add_constant("less_equal", mask_of_two<std::less_equal<>>, 2);
    library.add_constant("greater", mask_of_two<std::greater<>>, 2);
    library.add_constant("greater_equal", mask_of_two<std::greater_equal<>>, 2);
    library.add_constant("equal", mask_of_two<std::equal_to<>>, 2);
    library.add_constant("not_equal", mask_of_two<std::not_equal_to<>>, 2);
    library.add_constant("logical_and", mask_of_two<And>, 2);
    library.add_constant("logical_or", mask_of_two<Or>, 2);
    library.add_constant("logical_xor", mask_of_two<Xor>, 2);
    library.add_constant("logical_not", mask_of_one<Not>, 1);
    library.add_constant("bitwise_and", of_truths<And>, 2);
    library.add_constant("bitwise_or", of_truths<Or>, 2);
    library.add_constant("bitwise_xor", of_truths<Xor>, 2);
    library.add_constant("invert", invert, 1);
    library.add_constant("isnan", mask_of_one<IsNan>, 1);
    library.add_constant("isinf", mask_of_one<IsInfinite>, 1);
    library.add_constant("isfinite", mask_of_one<IsFinite>, 1);
    library.add_constant("signbit", mask_of_one<SignBit>, 1);
    library.add_constant("sign", stepwise<Sign>, 1);
    library.add_constant("floor", stepwise<Floor>, 1);
    library.add_constant("ceil", stepwise<Ceil>, 1);
    library.add_constant("trunc", stepwise<Trunc>, 1);
    library.add_constant("round", rounded, 1, {{"decimals", none}});
    library.add_primitive("clip", clip);
    library.add_constant("floor_divide", floor_divide, 2);
}

}  // namespace pullback::standalone
