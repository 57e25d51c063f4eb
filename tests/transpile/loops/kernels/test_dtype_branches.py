"""A branch on a dtype that the kernel's types decide is decided in its backward too."""

import numpy as np
import pytest

import pullback as pb

pytestmark = pytest.mark.compiler


@pb.derive_pullback
def weighted(x, k):
    return np.sum(np.nan_to_num(x) ** 2 * k)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_nan_to_num_beside_whole_numbers_is_compiled(dtype):
    weights = np.array([1, 2, 3])
    values = np.array([1.5, np.nan, -2.0], dtype)

    def run(function):
        x = pb.tensor(values, requires_grad=True)
        r = function(x, weights)
        (first,) = pb.grad(r, x, create_graph=True)
        (second,) = pb.grad(np.sum(first * np.arange(1.0, 4.0)), x)
        return [each.detach().numpy() for each in (r, first, second)]

    for found, wanted in zip(run(pb.compile(weighted)), run(weighted), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-6)
        assert found.dtype == wanted.dtype
