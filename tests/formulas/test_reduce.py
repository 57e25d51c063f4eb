"""Reductions: axes, ties, and arrays without elements."""

import numpy as np
import pytest

import pullback as pb

AXES = [None, 0, -1, (0, 2), (-1, -3), (), (2, 0, 1)]


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("function", [np.sum, np.mean, np.max, np.min, np.prod])
def test_every_axis(engine, function, axis, keepdims):
    a = np.random.default_rng(3).permutation(24).reshape(2, 3, 4) / 12.0 - 0.9
    assert pb.gradcheck(lambda x: function(x, axis=axis, keepdims=keepdims), a, order=2)


@pytest.mark.parametrize("function", [np.max, np.min])
def test_entries_that_tie_share(engine, function):
    x = pb.tensor([[2.0, 1.0, 2.0], [3.0, 3.0, 3.0]], requires_grad=True)
    (gradient,) = pb.grad(function(x, axis=1).sum(), [x])
    half = [0.5, 0, 0.5] if function is np.max else [0, 1, 0]
    np.testing.assert_allclose(gradient.detach().numpy(), [half, [1 / 3] * 3])


@pytest.mark.parametrize("method", ["sum", "mean", "max", "min", "prod"])
def test_methods_are_the_functions(engine, method):
    a = np.arange(6.0).reshape(2, 3)
    x = pb.tensor(a, requires_grad=True)
    by_method = pb.grad(getattr(x, method)(axis=1).sum(), [x])[0]
    by_function = pb.grad(getattr(np, method)(x, 1).sum(), [x])[0]
    np.testing.assert_array_equal(by_method.detach().numpy(), by_function.detach().numpy())


@pytest.mark.parametrize("function", [np.sum, np.prod])
@pytest.mark.parametrize(("shape", "axis"), [((0,), None), ((0, 3), 0), ((3, 0), 0), ((3, 0), 1)])
def test_no_elements(engine, function, shape, axis):
    x = pb.tensor(np.ones(shape), requires_grad=True)
    (gradient,) = pb.grad(function(x, axis=axis).sum(), [x])
    assert gradient.shape == shape


@pytest.mark.parametrize("function", [np.mean, np.max, np.min])
def test_no_elements_left_over(engine, function):
    """Nothing to reduce in any of no results."""
    x = pb.tensor(np.ones((3, 0)), requires_grad=True)
    (gradient,) = pb.grad(function(x, axis=0).sum(), [x])
    assert gradient.shape == (3, 0)


def test_a_single_number(engine):
    for function in (np.sum, np.mean, np.max, np.min, np.prod):
        x = pb.tensor(2.0, requires_grad=True)
        assert pb.grad(function(x), [x])[0].item() == 1


@pytest.mark.parametrize("ord", ["fro", "nuc", "f", "x"])
@pytest.mark.parametrize("axis", [None, 0])
def test_a_norm_that_vectors_do_not_have_is_the_error_of_numpy(engine, ord, axis):
    for x in (np.array([3.0, 4.0]), pb.tensor([3.0, 4.0], requires_grad=True)):
        with pytest.raises(ValueError, match=f"Invalid norm order '{ord}' for vectors"):
            np.linalg.norm(x, ord, axis)
