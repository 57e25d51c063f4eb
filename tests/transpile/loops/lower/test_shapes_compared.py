"""Comparisons of shapes, as functions check their arguments."""

import numpy as np
import pytest

import pullback as pb
from tests.sampling import sampled

pytestmark = pytest.mark.compiler


def mean_square(a, b):
    if a.shape != b.shape:
        raise ValueError(f"{a.shape} is not {b.shape}")
    return np.mean((a - b) ** 2)


def by_shape(a, b):
    if a.shape == (3,) and np.shape(b) == (len(a),):
        return np.sum(a * b)
    if a.shape[:-1] == () or a.shape[1:] == b.shape[1:]:
        return np.sum(a) * np.sum(b)
    return np.prod(a) * np.sum(b)


@pytest.mark.parametrize(
    "shapes", sampled([((3,), (3,)), ((2,), (2,)), ((2, 3), (4, 3)), ((2, 3), (4, 2))], 2)
)
def test_values_and_two_derivatives(shapes):
    a, b = (np.random.default_rng(0).uniform(0.5, 1.5, shape) for shape in shapes)
    compiled = pb.compile(by_shape)
    np.testing.assert_allclose(compiled(a, b), by_shape(a, b))
    assert pb.gradcheck(compiled, a, b, order=2)


def test_an_error_says_the_shapes():
    compiled = pb.compile(mean_square)
    assert compiled(np.ones(3), np.zeros(3)) == 1.0
    with pytest.raises(ValueError, match=r"\(3,\) is not \(1,\)"):
        compiled(np.ones(3), np.ones(1))
