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
template <auto function>
Tensors mask_of_two(const Saved& saved) {
    const Pair pair = pair_of(saved);
    Tensor made = allocate(Like{kBool, pair.shape});
    with_type(pair.x.dtype(), [&](auto type) {
        using T = decltype(type);
        map<bool, T, T>(function, *made.get(), *pair.x.get(), *pair.y.get());
    });
    return {made};
}

/// function(x) for each entry, as truths.
template <auto function>
Tensors mask_of_one(const Saved& saved) {
    const Tensor x = as_dtype(saved.input(0), kFloat64);
    Tensor made = allocate(Like{kBool, x.shape()});
    map<bool, double>(function, *made.get(), *x.get());
    return {made};
}

/// Of truths alone.
template <auto function>
Tensors of_truths(const Saved& saved) {
    const Pair pair = pair_of(saved);
    if (!same(pair.x.dtype(), kBool)) {
        throw Error("TypeError: " + saved.of().name + " of bits needs the Python engine");
    }
    return mask_of_two<function>(saved);
}

/// function(x) for each entry, in the type of x.
template <auto function>
Tensors stepwise(const Saved& saved) {
    const Tensor given = saved.input(0);
    const Tensor x = as_dtype(given, promoted(std::span(&given, 1)));
    Tensor made = allocate(like(x));
    with_type(x.dtype(), [&](auto type) {
        using T = decltype(type);
        map<T, T>([](T value) { return static_cast<T>(function(static_cast<double>(value))); },
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

constexpr auto kAnd = [](auto x, auto y) { return x != 0 && y != 0; };
constexpr auto kOr = [](auto x, auto y) { return x != 0 || y != 0; };
constexpr auto kXor = [](auto x, auto y) { return (x != 0) != (y != 0); };
constexpr auto kNot = [](double x) { return x == 0; };
constexpr auto kIsNan = [](double x) { return std::isnan(x); };
constexpr auto kIsInfinite = [](double x) { return std::isinf(x); };
constexpr auto kIsFinite = [](double x) { return std::isfinite(x); };
constexpr auto kSignBit = [](double x) { return std::signbit(x); };
constexpr auto kSign = [](double x) { return std::isnan(x) ? x : (x > 0) - (x < 0); };
constexpr auto kFloor = [](double x) { return std::floor(x); };
constexpr auto kCeil = [](double x) { return std::ceil(x); };
constexpr auto kTrunc = [](double x) { return std::trunc(x); };
constexpr auto kToEven = [](double x) { return std::nearbyint(x); };

Tensors rounded(const Saved& saved) {
    const Attribute& decimals = saved.attribute("decimals");
    if (!decimals.is_none() && decimals.integer() != 0) {
        throw Error(
            "RuntimeError: round to decimals needs Python; write round(x * 100.0) / 100.0 for two "
            "of them");
    }
    return stepwise<kToEven>(saved);
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
    return mask_of_one<kNot>(saved);
}

}  // namespace

void add_comparisons(Library& library) {
    library.add_constant("less", mask_of_two<std::less<>{}>, 2);
    library.add_constant("less_equal", mask_of_two<std::less_equal<>{}>, 2);
    library.add_constant("greater", mask_of_two<std::greater<>{}>, 2);
    library.add_constant("greater_equal", mask_of_two<std::greater_equal<>{}>, 2);
    library.add_constant("equal", mask_of_two<std::equal_to<>{}>, 2);
    library.add_constant("not_equal", mask_of_two<std::not_equal_to<>{}>, 2);
    library.add_constant("logical_and", mask_of_two<kAnd>, 2);
    library.add_constant("logical_or", mask_of_two<kOr>, 2);
    library.add_constant("logical_xor", mask_of_two<kXor>, 2);
    library.add_constant("logical_not", mask_of_one<kNot>, 1);
    library.add_constant("bitwise_and", of_truths<kAnd>, 2);
    library.add_constant("bitwise_or", of_truths<kOr>, 2);
    library.add_constant("bitwise_xor", of_truths<kXor>, 2);
    library.add_constant("invert", invert, 1);
    library.add_constant("isnan", mask_of_one<kIsNan>, 1);
    library.add_constant("isinf", mask_of_one<kIsInfinite>, 1);
    library.add_constant("isfinite", mask_of_one<kIsFinite>, 1);
    library.add_constant("signbit", mask_of_one<kSignBit>, 1);
    library.add_constant("sign", stepwise<kSign>, 1);
    library.add_constant("floor", stepwise<kFloor>, 1);
    library.add_constant("ceil", stepwise<kCeil>, 1);
    library.add_constant("trunc", stepwise<kTrunc>, 1);
    library.add_constant("round", rounded, 1, {{"decimals", none}});
    library.add_primitive("clip", clip);
    library.add_constant("floor_divide", floor_divide, 2);
}

}  // namespace pullback::standalone
