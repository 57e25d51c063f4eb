"""Lists that are written out, in loops: read at places that only the run knows, and grown by arrays."""

import numpy as np
import pytest

import pullback as pb
from tests.sampling import sampled

X = np.array([0.7, 1.2, 0.6, 0.9])


def weighted(x):
    weights = [0.5, 0.25, 2.0]
    total = 0.0
    for i, v in enumerate(x[1:]):
        total = total + weights[i] * v**2
    return total


def zipped(x):
    total = 1.0
    for v, (c, power) in zip(x, ((0.5, 2), (0.25, 3), (2.0, 1)), strict=False):
        total = total * (v - c) ** power
    return total


def chain(q):
    whole = np.eye(3)
    for angle, length in zip(q, (1.0, 0.5, 0.25), strict=False):
        c, s = np.cos(angle), np.sin(angle)
        whole = whole @ np.array([[c, -s, length * c], [s, c, length * s], [0, 0, 1]])
    return whole[:2, 2]


def of_arrays(x):
    parts = [x, x * 2, x[::-1] * x]
    total = 0.0
    for k in range(len(x) - 1):
        total = total + parts[k] * parts[-1 - k]
    return total


def cumulated(x):
    sums = [0.0]
    for v in x:
        sums.append(sums[-1] + v * v)
    return np.array(sums) * 2


def life_table(q):
    alive = [100.0]
    for each in q:
        alive.append(alive[-1] * (1 - 0.3 * each))
    return sum(alive) / alive[0]


def two_before(x):
    terms = [0.0, 1.0]
    for k in range(len(x)):
        terms.append(terms[-1] * x[k] + terms[-2])
    return terms[-1], np.stack(terms)


EVERY = [weighted, zipped, chain, of_arrays, cumulated, life_table, two_before]


def arrays(values):
    """Results as arrays."""
    return [np.asarray(each) for each in (values if isinstance(values, tuple) else (values,))]


@pytest.mark.parametrize("function", sampled(EVERY, 2))
def test_values_and_derivatives_are_those_of_the_text(function):
    for made in (pb.derive_pullback(function), pb.compile(function, order=1)):
        for dtype in ("float64", "float32"):
            found, expected = arrays(made(X.astype(dtype))), arrays(function(X.astype(dtype)))
            for one, other in zip(found, expected, strict=True):
                assert one.dtype == other.dtype
                np.testing.assert_allclose(one, other, rtol=1e-5)
    assert pb.gradcheck(made, X)


def by_attribute(x, *, weights: "tuple[float, ...]" = (0.5, 2.0)):
    total = 0.0
    for k in range(len(x)):
        total = total + weights[k] * x[k]
    return total


@pytest.mark.parametrize(
    "function", [weighted, by_attribute, of_arrays], ids=lambda function: function.__name__
)
@pytest.mark.parametrize("made", [pb.derive_pullback, lambda function: pb.compile(function, order=0)])
def test_a_place_outside_is_pythons_error(function, made):
    with pytest.raises(IndexError):
        made(function)(np.ones(6))
