"""Rearrangements: axes in every spelling, lists of arrays, dtypes that meet."""

import numpy as np
import pytest

import pullback as pb
from pullback import primitives

A = np.random.default_rng(2).standard_normal((2, 3, 4))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.reshape(4, 6),
        lambda x: x.reshape((-1, 2)),
        lambda x: np.reshape(x, -1),
        lambda x: x.T,
        lambda x: x.transpose(1, 2, 0),
        lambda x: np.transpose(x, (-1, 0, 1)),
        lambda x: np.swapaxes(x, -2, 0),
        lambda x: np.moveaxis(x, 0, -1),
        lambda x: np.moveaxis(x, (0, 1), (-1, -2)),
        lambda x: np.expand_dims(x, -1),
        lambda x: np.expand_dims(x, (0, 2, -1)),
        lambda x: np.squeeze(np.expand_dims(x, (0, 2))),
        lambda x: np.squeeze(np.expand_dims(x, (0, 2)), axis=(0, 2)),
        lambda x: np.broadcast_to(x, (5, 2, 3, 4)),
        lambda x: np.flip(x),
        lambda x: np.flip(x, (0, -1)),
        lambda x: primitives.flatten_axes(x, axis=(2, 0)),
        lambda x: primitives.flatten_axes(x),
    ],
)
def test_rearranged(engine, function):
    """The gradient of a weighted sum is the weights put back, so this says that they are put back right."""
    assert pb.gradcheck(lambda x: function(x * x), A, order=2)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_concatenate_and_stack(engine, axis):
    a, b = A[:, :2], A[:, 1:]
    if axis == 1:
        assert pb.gradcheck(lambda x, y: np.concatenate([x * y[:, :2], y], axis=axis), a, A)
    assert pb.gradcheck(lambda x, y: np.concatenate([x, y * x, x], axis=axis), a, b)
    assert pb.gradcheck(lambda x, y: np.stack([x, y * x, x], axis=axis), a, b)


def test_concatenate_flattens_without_an_axis(engine):
    assert pb.gradcheck(lambda x, y: np.concatenate([x, y * y], axis=None), A[0], A[1, 0])


def test_each_joined_array_gets_its_own_dtype(engine):
    for join in (np.concatenate, np.stack):
        single = pb.tensor(np.ones(3, np.float32), requires_grad=True)
        double = pb.tensor(np.ones(3), requires_grad=True)
        result = join([single, double])
        assert result.dtype == np.float64
        assert [g.dtype for g in pb.grad(result.sum(), [single, double])] == [np.float32, np.float64]


def test_one_joined_array_needs_no_gradient(engine):
    x = pb.tensor(A[0], requires_grad=True)
    (gradient,) = pb.grad(np.concatenate([x, A[1]]).sum(), [x])
    np.testing.assert_array_equal(gradient.detach().numpy(), np.ones((3, 4)))


def test_arrays_without_elements(engine):
    for function in (
        lambda x: np.concatenate([x, x]),
        lambda x: np.stack([x, x]),
        np.transpose,
        lambda x: x.reshape(3, 0),
        lambda x: np.broadcast_to(x, (2, 0, 3)),
        np.flip,
    ):
        x = pb.tensor(np.ones((0, 3)), requires_grad=True)
        (gradient,) = pb.grad(function(x).sum(), [x])
        assert gradient.shape == (0, 3)


def test_astype_and_back(engine):
    x = pb.tensor(np.linspace(0.0, 1.0, 5), requires_grad=True)
    y = (x * x).astype(np.float32)
    assert y.dtype == np.float32
    (first,) = pb.grad((y * y).sum(), [x], create_graph=True)
    (second,) = pb.grad(first.sum(), [x])
    assert first.dtype == second.dtype == np.float64
    np.testing.assert_allclose(second.detach().numpy(), 12 * np.linspace(0.0, 1.0, 5) ** 2, rtol=1e-6)
