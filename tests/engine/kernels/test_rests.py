"""Remainders and floored quotients in kernels are NumPy's to the bit, however large the quotient is."""

import numpy as np
import pytest

import pullback as pb

pytestmark = pytest.mark.compiler

EDGES = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.5, 3.0, 1e-45, -1e-38, 1e-310, 3e38, -1e300]


def rests(x, y):
    return np.fmod(x, y), np.remainder(x, y), np.floor_divide(x, y)


@np.errstate(all="ignore")
def pairs(dtype):
    """Random bit patterns, numbers of one size, multiples of each other, and edges with each other.

    Of divisors of all sizes: numbers that hold them as often as numbers of the dtype can tell, and those next
    to multiples.
    """
    rng = np.random.default_rng(1)
    unsigned = np.uint32 if dtype == np.float32 else np.uint64
    bits = rng.integers(0, np.iinfo(unsigned).max, (2, 40_000), unsigned, endpoint=True).view(dtype)
    moderate = rng.uniform(-9, 9, (2, 5000)).astype(dtype)
    multiples = np.stack([moderate[0] * np.rint(moderate[1] * 100), moderate[0]])
    digits = np.finfo(dtype).nmant + 1
    times = np.exp2(rng.uniform(-2, digits + 1, bits.shape[1])).astype(dtype)
    whole = np.trunc(times) * bits[1]
    held = [times * bits[1], whole, np.nextafter(whole, dtype(0)), np.nextafter(whole, dtype(np.inf))]
    of_all_sizes = np.stack([np.concatenate(held), np.tile(bits[1], 4)])
    of_all_sizes = of_all_sizes[:, np.isfinite(of_all_sizes).all(0) & (of_all_sizes[1] != 0)]
    edges = np.stack([each.ravel() for each in np.meshgrid(EDGES, EDGES)]).astype(dtype)
    return np.concatenate([bits, moderate, multiples, of_all_sizes, edges, edges], axis=1)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rests_are_numpys_to_the_bit(dtype):
    x, y = pairs(dtype)
    with np.errstate(all="ignore"):
        found, expected = pb.compile(rests, order=0)(x, y), rests(x, y)
    for one, other in zip(found, expected, strict=True):
        assert one.dtype == dtype
        np.testing.assert_array_equal(one, other)
        number = ~np.isnan(other)
        np.testing.assert_array_equal(np.signbit(one[number]), np.signbit(other[number]))
