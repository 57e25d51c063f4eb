"""Products with zeros among the factors, to third order."""

from itertools import permutations

import numpy as np
import pytest

import pullback as pb


def product_without(a, left_out):
    """The product of the entries whose position is not left out."""
    return np.prod([value for k, value in enumerate(a) if k not in left_out])


@pytest.mark.parametrize("zeros", [(), (1,), (0, 3), (0, 1, 2)])
def test_derivatives_of_a_product(engine, zeros):
    """The k-th derivative by distinct entries is the product of the others, and 0 where one repeats."""
    a = np.array([1.5, -2.0, 0.5, 3.0])
    a[list(zeros)] = 0.0
    x = pb.tensor(a, requires_grad=True)
    (first,) = pb.grad(np.prod(x), [x], create_graph=True)
    np.testing.assert_allclose(first.detach().numpy(), [product_without(a, {i}) for i in range(4)])
    for i, j in permutations(range(4), 2):
        (second,) = pb.grad(first[i], [x], create_graph=True)
        assert second.detach().numpy()[j] == pytest.approx(product_without(a, {i, j}))
        assert second.detach().numpy()[i] == 0
        (third,) = pb.grad(second[j], [x], retain_graph=True)
        expected = [0 if k in (i, j) else product_without(a, {i, j, k}) for k in range(4)]
        np.testing.assert_allclose(third.detach().numpy(), expected)


@pytest.mark.parametrize("axis", [None, 0, 1, -1])
@pytest.mark.parametrize("function", [np.cumsum, np.cumprod])
def test_running_totals_along_axes(engine, function, axis):
    a = np.random.default_rng(5).uniform(-1.0, 1.0, (3, 4))
    a[1, 2] = a[0, 1] = 0.0
    assert pb.gradcheck(lambda x: function(x, axis=axis), a, order=3)


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("function", [np.maximum.accumulate, np.minimum.accumulate])
def test_running_extremes_along_axes(engine, function, axis):
    a = np.random.default_rng(5).permutation(12).reshape(3, 4) / 4.0
    assert pb.gradcheck(lambda x: function(x, axis=axis) ** 2, a)
    np.testing.assert_array_equal(function(pb.tensor(a), axis).numpy(), function(a, axis))
    np.testing.assert_array_equal(pb.func.vmap(function)(a), function(a, 1))


@pb.derive_pullback
def greatest_so_far(x):
    return np.maximum.accumulate(x)


@pytest.mark.compiler
def test_the_gradient_of_a_running_extreme_goes_to_its_last_place(variant):
    a = np.array([1.0, 3.0, 3.0, 2.0, np.nan, 5.0])
    x = pb.tensor(a, requires_grad=True)
    y = variant(greatest_so_far)(x)
    np.testing.assert_array_equal(y.detach().numpy(), np.maximum.accumulate(a))
    (gradient,) = pb.grad(y, [x], [np.ones(6)])
    np.testing.assert_array_equal(gradient.numpy(), [1, 1, 2, 0, 2, 0])


def test_a_product_over_several_axes_with_zeros(engine):
    a = np.random.default_rng(5).uniform(-1.0, 1.0, (2, 3, 2))
    a[0, 1, 0] = a[1, 1, 1] = a[0, 0, 0] = 0.0
    for axis in (None, (0, 2), (2, 0), (-1,), 1):
        for keepdims in (False, True):
            assert pb.gradcheck(lambda x, a=axis, k=keepdims: np.prod(x, axis=a, keepdims=k), a, order=3)


def test_a_long_product_takes_linear_memory(engine):
    """A hundred thousand factors: a table of all pairs would not fit."""
    a = np.full(100_000, 1.0 + 1e-6)
    x = pb.tensor(a, requires_grad=True)
    (gradient,) = pb.grad(np.prod(x), [x])
    np.testing.assert_allclose(gradient.detach().numpy(), np.prod(a) / a)


@pytest.mark.parametrize("shape", [(40, 37), (3, 33, 5), (2, 50), (17, 1), (0, 20), (20, 0)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_running_sums_of_many_lines(engine, shape, dtype):
    a = np.random.default_rng(0).uniform(0.8, 1.2, shape).astype(dtype)
    for view in (a, a.T, a[..., ::-1], np.asfortranarray(a)[::2]):
        for axis in range(view.ndim):
            x = pb.tensor(view, requires_grad=True)
            for function in (np.cumsum, np.cumprod):
                found = function(x, axis=axis)
                np.testing.assert_allclose(found.detach().numpy(), function(view, axis=axis), rtol=1e-5)
            (gradient,) = pb.grad(np.cumsum(x, axis=axis).sum(), x)
            length = view.shape[axis]
            steps = np.expand_dims(np.arange(length, 0, -1), tuple(range(1, view.ndim - axis)))
            np.testing.assert_array_equal(gradient.numpy(), np.broadcast_to(steps, view.shape))
