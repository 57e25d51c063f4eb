"""NumPy's own functions, which CUDA does not have."""

TEXT = """\
// NumPy's: a NaN is the result only where both operands are.
template <typename T>
PB_DEVICE T fmax(T x, T y) { return x >= y || y != y ? x : y; }
template <typename T>
PB_DEVICE T fmin(T x, T y) { return x <= y || y != y ? x : y; }
template <typename T>
PB_DEVICE T where(bool condition, T x, T y) { return condition ? x : y; }
template <typename T>
PB_DEVICE T where_stored(bool condition, T x, T y) { return condition ? x : y; }
template <typename T>
PB_DEVICE T abs(T x) { return x < T(0) ? -x : x == T(0) ? T(0) : x; }
template <typename T>
PB_DEVICE T square(T x) { return x * x; }
template <typename T>
PB_DEVICE T sign(T x) { return x != x ? x : static_cast<T>((x > T(0)) - (x < T(0))); }

// Python's: the remainder has the divisor's sign, and the quotient belongs to it. Of integers by
// zero both are zero, as NumPy's.
template <typename T>
PB_DEVICE T remainder(T x, T y) {
    const T r = ::fmod(x, y);
    return r == T(0) ? ::copysign(T(0), y) : (r < T(0)) != (y < T(0)) ? r + y : r;
}
PB_DEVICE int64_t remainder(int64_t x, int64_t y) {
    if (y == 0 || y == -1) return 0;
    const int64_t r = x % y;
    return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}
template <typename T>
PB_DEVICE T floor_divide(T x, T y) {
    if (y == T(0)) return x / y;
    const T rest = ::fmod(x, y);
    const T quotient = (x - rest) / y - (rest != T(0) && (rest < T(0)) != (y < T(0)) ? T(1) : T(0));
    return quotient == T(0) ? ::copysign(T(0), x / y) : ::rint(quotient);
}
PB_DEVICE int64_t floor_divide(int64_t x, int64_t y) {
    if (y == 0) return 0;
    if (y == -1) return static_cast<int64_t>(-static_cast<uint64_t>(x));
    return x / y - (x % y != 0 && (x < 0) != (y < 0));
}

template <typename T>
PB_DEVICE T power(T x, T y) { return ::pow(x, y); }
PB_DEVICE int64_t power(int64_t x, int64_t n) {
    uint64_t result = 1;
    for (uint64_t base = static_cast<uint64_t>(x); n > 0; n /= 2, base *= base)
        if (n % 2 != 0) result *= base;
    return static_cast<int64_t>(result);
}

template <typename T>
PB_DEVICE T logaddexp(T x, T y) {
    const T distance = x == y ? T(0) : abs(x - y);
    return maximum(x, y) + ::log1p(::exp(-distance));
}
template <typename T>
PB_DEVICE T logaddexp2(T x, T y) {
    const T distance = x == y ? T(0) : abs(x - y);
    return maximum(x, y) + ::log1p(::exp2(-distance)) * T(1.4426950408889634);
}
template <typename T>
PB_DEVICE T sigmoid(T x) {
    const T e = ::exp(-abs(x));
    return (x >= T(0) ? T(1) : e) / (T(1) + e);
}
template <typename T>
PB_DEVICE T softplus(T x) { return maximum(x, T(0)) + ::log1p(::exp(-abs(x))); }
template <typename T>
PB_DEVICE T sinc(T x) {
    const T t = T(3.14159265358979323846) * (x == T(0) ? T(1e-20) : x);
    return ::sin(t) / t;
}

}  // namespace pb
"""
