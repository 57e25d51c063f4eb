"""Functions of kernels to 4 units in the last place, over the whole range of both float types."""

import mpmath
import numpy as np
import pytest

import pullback as pb
from tests.sampling import sampled

from .loops import TYPES, compiled_loops, computed, exact, is_close

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


@pytest.fixture(scope="module")
def library():
    return compiled_loops(FUNCTIONS, 1)


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


@pytest.mark.parametrize("name", sampled(FUNCTIONS, 3))
@pytest.mark.parametrize("kind", TYPES)
def test_values(name, kind, library):
    dtype = TYPES[kind]
    x = points(dtype)
    compared = 0
    with mpmath.workprec(160):
        for one, found in zip(x, computed(library, name, x), strict=True):
            value = exact(FUNCTIONS[name], one)
            if value is None or abs(value) > float(np.finfo(dtype).max):
                continue
            compared += 1
            with np.errstate(over="ignore"):
                size = np.abs(dtype(float(value)))
            assert is_close(found, value, size), (name, one, found)
    assert compared > 100


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_nan_infinities_and_signed_zeros_are_numpys(name, kind, library):
    x = np.tile(np.array([np.nan, np.inf, -np.inf, 0.0, -0.0], TYPES[kind]), 7)
    y = computed(library, name, x)
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


@pytest.mark.parametrize("name", ["exp", "sigmoid", "tanh"])
def test_a_float_function_has_the_same_bits_wherever_an_element_stands(name, library):
    x = np.linspace(-120, 120, 1000, dtype=np.float32)
    alone = [computed(library, name, x[k : k + 1])[0] for k in range(x.size)]
    np.testing.assert_array_equal(computed(library, name, x), alone)


def test_tanh_of_floats_is_at_most_one(library):
    x = np.linspace(-12, 12, 100_001, dtype=np.float32)
    assert np.abs(computed(library, "tanh", x)).max() == 1
