"""Functions of two operands in kernels to 4 units in the last place, over the whole range of both types."""

import itertools

import mpmath
import numpy as np
import pytest

from tests.sampling import sampled

from .loops import TYPES, compiled_loops, computed, exact, is_close

pytestmark = pytest.mark.compiler


def logaddexp(x, y):
    high, low = max(x, y), min(x, y)
    return high + mpmath.log1p(mpmath.exp(low - high))


def logaddexp2(x, y):
    high, low = max(x, y), min(x, y)
    return high + mpmath.log1p(mpmath.power(2, low - high)) / mpmath.log(2)


def fmod(x, y):
    return x - y * mpmath.mpf(int(x / y))


def remainder(x, y):
    return x - y * mpmath.floor(x / y)


# NumPy's name, and the exact function.
FUNCTIONS = {
    "power": mpmath.power, "arctan2": mpmath.atan2, "hypot": mpmath.hypot, "logaddexp": logaddexp,
    "logaddexp2": logaddexp2, "fmod": fmod, "remainder": remainder,
    "floor_divide": lambda x, y: mpmath.floor(x / y),
}  # fmt: skip
CHOICES = {"maximum", "minimum", "fmax", "fmin", "copysign"}
# The quotient of remainder and floor_divide has to be an integer that the type holds.
EXACT_QUOTIENT = {"fmod", "remainder", "floor_divide"}
# Sums of two terms: where they cancel, units of a double's result are those of the larger operand, and of
# the distance of the operands, which is rounded, by as much as the second term changes with it.
CANCELS = {"logaddexp", "logaddexp2"}


@pytest.fixture(scope="module")
def library():
    return compiled_loops((*FUNCTIONS, *CHOICES), 2)


@np.errstate(all="ignore")
def points(name, dtype):
    """Pairs of random bit patterns, of moderate numbers of all sizes, of close ones, and of edges."""
    rng = np.random.default_rng(1)
    unsigned = np.uint32 if dtype == np.float32 else np.uint64
    bits = rng.integers(0, np.iinfo(unsigned).max, (2, 100), unsigned, endpoint=True).view(dtype)
    sizes = rng.choice([1e-3, 1, 10, 100, 700], (2, 150))
    moderate = (rng.uniform(-1, 1, (2, 150)) * sizes).astype(dtype)
    close = rng.uniform(0.5, 2, 100).astype(dtype)
    near = np.stack([close, close * dtype(1 + 4 * np.finfo(dtype).eps)])
    info = np.finfo(dtype)
    edges = [info.tiny, info.smallest_subnormal, info.eps, info.max, 1.0, 0.5, 2.0, 3.0, 1 + info.eps]
    signed = [sign * edge for edge in edges for sign in (1, -1)]
    pairs = np.array(list(itertools.product(signed, repeat=2)), dtype).T
    x, y = np.concatenate([bits, moderate, near, pairs], axis=1)
    if name == "power":  # most random powers overflow: take exponents that fit
        x = np.concatenate([x, np.abs(x[np.isfinite(x) & (np.abs(x) != 1)])])
        fits = (
            rng.uniform(-1, 1, x.size) * np.log(float(info.max)) / np.log(np.abs(x.astype(float)))
        ).astype(dtype)
        x, y = np.concatenate([x, x, x]), np.concatenate([np.resize(y, x.size), fits, np.rint(fits)])
    finite = np.isfinite(x) & np.isfinite(y)
    return x[finite], y[finite]


def value_of(name, x, y):
    """The exact value, or None where it is no real number or has nothing to be compared with."""
    one, other = float(x), float(y)
    if name in EXACT_QUOTIENT and (other == 0 or abs(mpmath.mpf(one) / other) > 1 / np.finfo(x.dtype).eps):
        return None
    return exact(FUNCTIONS[name], one, other)


@pytest.mark.parametrize("name", sampled(FUNCTIONS, 3))
@pytest.mark.parametrize("kind", TYPES)
def test_values(name, kind, library):
    dtype = TYPES[kind]
    xs, ys = points(name, dtype)
    found = computed(library, name, xs, ys)
    compared = 0
    with mpmath.workprec(2400):  # of hypot(1e308, 1e-308) and of log1p(exp(-700)), all digits
        for x, y, value in zip(xs, ys, found, strict=True):
            expected = value_of(name, x, y)
            if expected is None or abs(expected) > float(np.finfo(dtype).max):
                continue
            size = np.abs(dtype(float(expected)))
            if name in CANCELS and dtype == np.float64:
                distance = min(abs(float(x) - float(y)), 100)
                size = max(size, np.abs(max(x, y)), distance * 2.0**-distance)
            compared += 1
            assert is_close(value, expected, size), (name, x, y, value)
    assert compared > 200


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("name", [*FUNCTIONS, *sorted(CHOICES)])
def test_nan_infinities_signed_zeros_and_integers_are_numpys(name, kind, library):
    dtype = TYPES[kind]
    info = np.finfo(dtype)
    special = [np.nan, np.inf, 0.0, 1.0, 2.0, 3.0, 0.5, info.max, info.tiny, info.smallest_subnormal]
    signed = [sign * value for value in special for sign in (1, -1)]
    x, y = np.array(list(itertools.product(signed, repeat=2)), dtype).T.copy()
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(x, y)
    found = computed(library, name, x, y)
    loose = 8 if name in CANCELS else 1  # for NumPy's own rounding, too
    np.testing.assert_allclose(found, expected, rtol=4 * loose * info.eps, atol=4 * info.smallest_subnormal)
    same = ~np.isnan(expected) & ~((expected == 0) & (name in ("maximum", "minimum", "fmax", "fmin")))
    np.testing.assert_array_equal(np.signbit(found[same]), np.signbit(expected[same]))
