"""Convolutions of vectors longer than what a kernel sums at once, in any order of memory."""

import numpy as np
import pytest

import pullback as pb

pytestmark = pytest.mark.compiler


@pytest.fixture(scope="module")
def compiled():
    def every_part(a, v):
        return np.convolve(a, v), np.convolve(a, v, "same"), np.convolve(a, v, "valid")

    return pb.compile(every_part, order=0)


@pytest.mark.parametrize("lengths", [(1, 1), (3000, 7), (7, 3000), (2048, 1024), (1500, 1500)])
def test_the_parts_of_a_convolution(lengths, compiled):
    a, v = (np.random.default_rng(0).standard_normal(length) for length in lengths)
    for mode, found in zip(("full", "same", "valid"), compiled(a[::-1], v), strict=True):
        np.testing.assert_allclose(found, np.convolve(a[::-1], v, mode), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("lengths", [(0, 3), (3, 0)])
def test_an_empty_vector_is_refused_as_by_numpy(lengths, compiled):
    with pytest.raises(ValueError, match="cannot be empty"):
        compiled(*(np.ones(length) for length in lengths))
