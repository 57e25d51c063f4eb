"""Functions of kernels to 4 units in the last place, over the whole range of both float types."""

import ctypes

import numpy as np
import pytest

import pullback as pb
from pullback.engine.kernels import compile_text

mpmath = pytest.importorskip("mpmath")
pytestmark = pytest.mark.compiler

# NumPy's name, and mpmath's function.
FUNCTIONS = {
    "arccos": mpmath.acos, "arccosh": mpmath.acosh, "arcsin": mpmath.asin, "arcsinh": mpmath.asinh,
    "arctan": mpmath.atan, "arctanh": mpmath.atanh, "cbrt": lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x)),
    "cos": mpmath.cos, "cosh": mpmath.cosh, "erf": mpmath.erf, "erfc": mpmath.erfc, "exp": mpmath.exp,
    "exp2": lambda x: mpmath.power(2, x), "expm1": mpmath.expm1, "log": mpmath.log,
    "log10": mpmath.log10, "log1p": lambda x: mpmath.log1p(x) if abs(x) < 1 else mpmath.log(1 + x),
    "log2": lambda x: mpmath.log(x) / mpmath.log(2),
    "sigmoid": lambda x: 1 / (1 + mpmath.exp(-x)), "softplus": lambda x: mpmath.log1p(mpmath.exp(x)),
    "sin": mpmath.sin, "sinh": mpmath.sinh, "tan": mpmath.tan, "tanh": mpmath.tanh,
}  # fmt: skip
ODD = {
    "arcsin",
    "arcsinh",
    "arctan",
    "arctanh",
    "cbrt",
    "erf",
    "expm1",
    "log1p",
    "sin",
    "sinh",
    "tan",
    "tanh",
}
COMPOSED = {"sigmoid", "softplus"}
ULPS = 4
TYPES = {"float": np.float32, "double": np.float64}


@pytest.fixture(scope="module")
def library():
    lines = ["#include <pullback/kernel.h>"]
    for name in FUNCTIONS:
        for kind in TYPES:
            lines.append(
                f"PB_EXPORT void {name}_{kind}(const {kind}* x, {kind}* y, int64_t n) {{\n"
                f"    PB_SIMD\n    for (int64_t i = 0; i < n; ++i) y[i] = pb::{name}(x[i]);\n}}"
            )
    return ctypes.CDLL(str(compile_text("\n".join(lines) + "\n")))


def computed(library, name, kind, x):
    y = np.empty_like(x)
    getattr(library, f"{name}_{kind}")(
        ctypes.c_void_p(x.ctypes.data), ctypes.c_void_p(y.ctypes.data), ctypes.c_int64(x.size)
    )
    return y


def points(dtype):
    """Random bit patterns, and moderate numbers of all sizes; subnormal ones among them."""
    rng = np.random.default_rng(0)
    unsigned = np.uint32 if dtype == np.float32 else np.uint64
    bits = rng.integers(0, np.iinfo(unsigned).max, 160, unsigned, endpoint=True).view(dtype)
    moderate = np.concatenate([rng.uniform(-size, size, 60) for size in (1e-3, 1, 10, 100, 700)])
    info = np.finfo(dtype)
    edges = np.array([info.tiny, info.smallest_subnormal, info.eps, info.max, 1.0, 0.5, 2.0, 88.5, 709.5])
    found = np.concatenate([bits, moderate.astype(dtype), edges.astype(dtype), -edges.astype(dtype)])
    return found[np.isfinite(found)]


def expected(function, x):
    """The exact value, or None where it is no real number."""
    try:
        value = function(mpmath.mpf(float(x)))
    except (ValueError, ZeroDivisionError, OverflowError):
        return None
    return value if isinstance(value, mpmath.mpf) and mpmath.isfinite(value) else None


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_values(name, kind, library):
    dtype = TYPES[kind]
    x = points(dtype)
    y = computed(library, name, kind, x)
    with mpmath.workprec(160):
        for one, found in zip(x, y, strict=True):
            exact = expected(FUNCTIONS[name], one)
            if exact is None or abs(exact) > float(np.finfo(dtype).max):
                continue
            with np.errstate(over="ignore"):
                ulp = float(np.spacing(np.abs(dtype(float(exact)))))
            assert abs(mpmath.mpf(float(found)) - exact) <= ULPS * ulp, (name, one, found)


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_nan_infinities_and_signed_zeros_are_numpys(name, kind, library):
    x = np.tile(np.array([np.nan, np.inf, -np.inf, 0.0, -0.0], TYPES[kind]), 7)
    y = computed(library, name, kind, x)
    with np.errstate(all="ignore"):
        if name in ("erf", "erfc"):
            from scipy import special

            numpys = getattr(special, name)(x)
        elif name in COMPOSED:
            numpys = getattr(pb, name)(x)
        else:
            numpys = getattr(np, name)(x)
    np.testing.assert_allclose(y, numpys, rtol=1e-6)
    if name in ODD:
        assert not np.signbit(y[3])
        assert np.signbit(y[4])
