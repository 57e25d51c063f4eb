"""Axes as NumPy takes them: axis 0 of what has none, and refusals of those that are not there."""

import warnings
from typing import Any

import numpy as np
import pytest

import pullback as pb
import pullback.numpy as pnp

pytestmark = pytest.mark.usefixtures("engine")

# What NumPy does to a 0-d array along axis 0; its mean and variance it refuses. Before 2.1 it had no
# cumulative_sum and cumulative_prod.
OF_A_NUMBER = [
    *("sum", "prod", "max", "min", "cumsum", "cumprod", "cumulative_sum", "cumulative_prod"),
    *("nansum", "nanprod", "nanmax", "nanmin", "nancumsum", "nancumprod", "nanmean"),
    *("softmax", "logsumexp"),
]
WITHOUT_PEER = {"softmax": lambda x: x / x, "logsumexp": lambda x: x}


def number_along(name, x, axis):
    if name in WITHOUT_PEER and not isinstance(x, pb.Tensor):
        return WITHOUT_PEER[name](x)
    return getattr(pnp if isinstance(x, pb.Tensor) else np, name)(x, axis=axis)


@pytest.mark.parametrize("axis", [0, -1])
@pytest.mark.parametrize("name", [name for name in OF_A_NUMBER if name in WITHOUT_PEER or hasattr(np, name)])
def test_an_axis_of_a_number(name, axis):
    expected = number_along(name, np.array(0.7), axis)
    x = pb.tensor(0.7, requires_grad=True)
    y = number_along(name, x, axis)
    np.testing.assert_allclose(y.detach().numpy(), expected)
    assert y.shape == np.shape(expected)
    slope = 0.0 if name == "softmax" else 1.0
    value = y**4
    for expected in np.array([4, 12, 24]) * np.array([0.343, 0.49, 0.7]) * slope:
        (value,) = pb.grad(value.sum(), x, create_graph=True)
        assert value.shape == ()
        np.testing.assert_allclose(value.item(), expected, atol=1e-12)


def test_an_axis_of_a_number_inside_of_a_formula():
    @pb.derive_pullback
    def products(a):
        t = np.exp(a)
        return np.sum(t, axis=0) * np.prod(t, axis=-1) * np.max(t, axis=0)

    x = pb.tensor(0.3, requires_grad=True)
    value = products(x)
    for order in range(1, 4):
        (value,) = pb.grad(value.sum(), x, create_graph=True)
        np.testing.assert_allclose(value.item(), 3**order * np.exp(0.9))


@pytest.mark.parametrize("name", ["mean", "var", "std"])
def test_what_numpy_refuses_of_a_number(name):
    x = pb.tensor(0.7, requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(np.exceptions.AxisError):
            getattr(np, name)(x, axis=0)


CALLS = {
    "diff": lambda f, x, axis: f.diff(x, axis=axis),
    "take": lambda f, x, axis: f.take(x, [0], axis=axis),
    "delete": lambda f, x, axis: f.delete(x, 0, axis),
    "insert": lambda f, x, axis: f.insert(x, 0, 1.0, axis),
    "median": lambda f, x, axis: f.median(x, axis=axis),
    "quantile": lambda f, x, axis: f.quantile(x, 0.3, axis=axis),
    "nanpercentile": lambda f, x, axis: f.nanpercentile(x, 30, axis=axis),
    "gradient": lambda f, x, axis: f.gradient(x, axis=axis),
    "rollaxis": lambda f, x, axis: f.rollaxis(x, axis),
    "trapezoid": lambda f, x, axis: f.trapezoid(x, axis=axis),
    "norm of rows": lambda f, x, axis: f.linalg.norm(x, axis=axis),
    "norm of matrices": lambda f, x, axis: f.linalg.norm(x, 1, axis=(0, axis)),
    "vector_norm": lambda f, x, axis: f.linalg.vector_norm(x, axis=axis),
    "average": lambda f, x, axis: f.average(x, axis=axis, weights=[1.0, 2.0, 3.0]),
    "trim_zeros": lambda f, x, axis: f.trim_zeros(x, "fb", axis),
    "cumulative_sum": lambda f, x, axis: f.cumulative_sum(x, axis=axis, include_initial=True),
}


@pytest.mark.parametrize("axis", [2, -3, 5])
@pytest.mark.parametrize("name", CALLS)
def test_an_axis_that_is_not_there(name, axis):
    x = pb.tensor(np.ones((3, 3)), requires_grad=True)
    with pytest.raises(np.exceptions.AxisError):
        CALLS[name](pnp, x, axis)


@pytest.mark.parametrize("axes", [(0, 0), (0, 5), (0, -2)])
def test_a_turn_needs_a_plane(axes):
    with pytest.raises(ValueError, match="a plane of two different axes"):
        np.rot90(pb.tensor(np.ones((3, 3))), 1, axes)


def test_what_needs_an_axis_refuses_a_number():
    x = pb.tensor(0.7, requires_grad=True)
    with pytest.raises(ValueError, match="at least one dimensional"):
        np.diff(x)
    with pytest.raises(ValueError, match="at least 1-d"):
        pnp.unstack(x)


def test_distances_are_as_many_as_entries():
    with pytest.raises(ValueError, match="distances must match"):
        np.gradient(pb.tensor([1.0, 2.0, 4.0]), [0.0])


@pytest.mark.parametrize("axis", [0, -1])
def test_zeros_are_trimmed_along_an_axis(axis):
    array = np.array([[0.0, 0, 2, 3, 0], [0, 1, 0, 3, 0], [0, 0, 0, 0, 0]])
    x = pb.tensor(array, requires_grad=True)
    kept = pnp.trim_zeros(x, axis=axis)
    np.testing.assert_array_equal(kept.detach().numpy(), array[:2] if axis == 0 else array[:, 1:4])
    np.testing.assert_array_equal(pb.grad((kept * kept).sum(), x)[0].numpy(), 2 * array)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_ratios_along_an_axis(axis):
    start, stop = np.array([-1.0, -2.0]), np.array([[-8.0, -3.0]])
    x = pb.tensor(start, requires_grad=True)
    spaced: Any = np.geomspace(x, stop, 4, axis=axis)
    np.testing.assert_allclose(spaced.detach().numpy(), np.geomspace(start, stop, 4, axis=axis))
    with pytest.raises(ValueError, match="cannot include zero"):
        np.geomspace(x, 0.0, 4)


@pytest.mark.parametrize("other", [2.0, [3.0, 4.0]])
@pytest.mark.parametrize("name", ["dot", "inner", "kron", "tensordot", "outer"])
def test_products_with_numbers_and_lists(name, other):
    def product(x, y):
        return getattr(np, name)(x, y, np.ndim(other)) if name == "tensordot" else getattr(np, name)(x, y)

    array = np.array([1.0, 2.0])
    x = pb.tensor(array, requires_grad=True)
    np.testing.assert_allclose(product(x, other).detach().numpy(), product(array, other))
    np.testing.assert_allclose(product(other, x).detach().numpy(), product(other, array))


@pytest.mark.parametrize("places", [0, [0, 0], [[-1]]])
@pytest.mark.parametrize("axis", [0, -1])
def test_entries_of_a_number_along_its_only_axis(places, axis):
    x = pb.tensor(0.7, requires_grad=True)
    y = np.take(x, places, axis=axis)
    assert y.shape == np.take(np.array(0.7), places, axis=axis).shape
    (gradient,) = pb.grad((y**2).sum(), x)
    assert gradient.item() == pytest.approx(1.4 * np.size(places))
    with pytest.raises(np.exceptions.AxisError):
        np.take(x, places, axis=1)


@pytest.mark.parametrize("axes", [(0, 0), (1, -1), (0, -2), (1, 0, 1)])
def test_shifts_along_an_axis_that_is_named_twice_add_up(axes):
    x, w = np.arange(12.0).reshape(3, 4), np.arange(12.0, 0.0, -1.0).reshape(3, 4)
    shifts = (1, 2, -2)[: len(axes)]
    tensor = pb.tensor(x, requires_grad=True)
    y = np.roll(tensor, shifts, axes)
    np.testing.assert_array_equal(y.detach().numpy(), np.roll(x, shifts, axes))
    (gradient,) = pb.grad((y * w).sum(), tensor)
    np.testing.assert_array_equal(gradient.numpy(), np.roll(w, tuple(-k for k in shifts), axes))
