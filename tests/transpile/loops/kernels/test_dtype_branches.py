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


def log_determinant(x):
    return np.linalg.slogdet(x)[1] * np.linalg.slogdet(x)[0]


def trapezoid(x):
    t = np.linspace(0.0, 1.0, len(x))
    return np.trapezoid(x * t, t)


@pytest.mark.parametrize("function", [log_determinant, trapezoid])
def test_functions_of_the_library_that_choose_by_dtype_or_shape_are_compiled(function):
    x = np.random.default_rng(0).standard_normal((3, 3)) + 2 * np.eye(3)
    x = x[0] if function is trapezoid else x
    compiled = pb.compile(function)
    np.testing.assert_allclose(compiled(x), function(x))
    assert pb.gradcheck(compiled, x, order=2)
