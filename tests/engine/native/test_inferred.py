"""What a kernel's results are like is remembered for the arguments that it was asked about, and no others."""

from __future__ import annotations

import numpy as np
import pytest

import pullback as pb
import pullback.numpy as pnp

pytestmark = pytest.mark.native

# More than are remembered, some of one size, one without elements.
SHAPES = [(2, 3), (3, 2), (6,), (1, 6), (2, 1, 3), (0, 3), (2, 3)]


@pytest.fixture(autouse=True)
def native() -> object:
    with pb.use_engine("native"):
        yield


def array(shape: tuple[int, ...], dtype: type) -> np.ndarray:
    return np.random.default_rng(len(shape)).uniform(0.5, 1.5, shape).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_each_shape_has_its_results_in_any_order(dtype: type) -> None:
    for shape in [*SHAPES, *SHAPES[::-1]]:
        values = array(shape, dtype)
        x = pb.tensor(values, requires_grad=True)
        y = pnp.sum(x, axis=-1)
        np.testing.assert_allclose(y.detach().numpy(), values.sum(axis=-1), rtol=1e-6, strict=True)
        (gradient,) = pb.grad((y * y).sum(), x)
        expected = np.broadcast_to(2 * values.sum(axis=-1, keepdims=True), shape).astype(dtype)
        np.testing.assert_allclose(gradient.numpy(), expected, rtol=1e-6, strict=True)


def test_operands_that_broadcast_otherwise() -> None:
    whole = array((3, 3), np.float64)
    for part in (whole, whole[:1], whole[:, :1], whole[0], whole[0, :1]) * 2:
        x, y = pb.tensor(whole, requires_grad=True), pb.tensor(part, requires_grad=True)
        z = x * y
        np.testing.assert_array_equal(z.detach().numpy(), whole * part, strict=True)
        gradient = pb.grad(z.sum(), y)[0].numpy()
        axes = tuple(range(2 - part.ndim)) + tuple(
            d + 2 - part.ndim for d in range(part.ndim) if part.shape[d] == 1
        )
        expected = whole.sum(axis=axes, keepdims=True).reshape(part.shape)
        np.testing.assert_allclose(gradient, expected, strict=True)


def test_strided_memory_after_memory_in_order() -> None:
    values = array((4, 4), np.float32)
    x = pb.tensor(values)
    for view in (x, x.T, x[::-1], x[:, ::-1], x):
        found = pnp.cumsum(view, axis=-1).numpy()
        np.testing.assert_allclose(found, np.cumsum(view.numpy(), axis=-1), rtol=1e-6, strict=True)


def test_shapes_that_do_not_fit_are_refused_after_some_that_did() -> None:
    x = pb.tensor(array((2, 3), np.float32))
    for _ in range(2):
        assert (x + pb.tensor(array((3,), np.float32))).shape == (2, 3)
        with pytest.raises(ValueError, match="broadcast"):
            x + pb.tensor(array((2,), np.float32))


def test_a_number_is_part_of_the_question() -> None:
    values = array((3, 3), np.float32)
    x = pb.tensor(values)
    for low in (0.6, 0.9, 0.6):
        np.testing.assert_array_equal(
            pnp.clip(x, low, 2.0).numpy(), np.clip(values, np.float32(low), 2.0), strict=True
        )
