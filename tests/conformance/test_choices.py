"""Functions that choose between numbers: NaN, infinities and signs of zero are as NumPy has them."""

from __future__ import annotations

import numpy as np
import pytest

import pullback as pb
import pullback.numpy as pnp

NUMBERS = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -2.0])
X, Y = (np.repeat(each.ravel(), 5) for each in np.meshgrid(NUMBERS, NUMBERS))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", ["maximum", "minimum", "fmax", "fmin"])
def test_the_chosen_number_is_numpys_to_the_sign(engine, name, dtype):
    x, y = X.astype(dtype), Y.astype(dtype)
    found, expected = getattr(pnp, name)(pb.tensor(x), pb.tensor(y)).numpy(), getattr(np, name)(x, y)
    np.testing.assert_array_equal(found, expected)
    number = ~np.isnan(expected) & ((x != 0) | (y != 0))  # of two zeros NumPy's loops choose either
    np.testing.assert_array_equal(np.signbit(found[number]), np.signbit(expected[number]))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("bounds", [(-1.0, 0.5), (None, 0.5), (-1.0, None), (0.0, -0.5)])
def test_clip_is_numpys_and_takes_its_gradient(engine, bounds, dtype):
    for x in (X.astype(dtype), X.astype(dtype)[::-3], X.astype(dtype).reshape(-1, 7).T):
        tensor = pb.tensor(x, requires_grad=True)
        found = pnp.clip(tensor, *bounds)
        np.testing.assert_array_equal(found.detach().numpy(), np.clip(x, *bounds))
        (gradient,) = pb.grad(found, tensor, pb.tensor(np.ones_like(x)))
        low = -np.inf if bounds[0] is None else bounds[0]
        high = np.inf if bounds[1] is None else bounds[1]
        passes = ~(x < low) & ~(x > high) & (low <= high)
        np.testing.assert_array_equal(gradient.numpy(), passes)


@pytest.mark.parametrize("rows", [1, 7, 64, 1001])
@pytest.mark.parametrize("step", [1, 2, -1])
def test_where_by_a_mask_takes_each_gradient_of_its_own_part(engine, rows, step):
    rng = np.random.default_rng(rows)
    mask = rng.uniform(size=rows * abs(step))[::step] > 0.5
    x, y = rng.standard_normal((2, rows))
    y[::3] = np.nan
    tensors = pb.tensor(x, requires_grad=True), pb.tensor(y, requires_grad=True)
    found = pnp.where(mask, *tensors)
    np.testing.assert_array_equal(found.detach().numpy(), np.where(mask, x, y))
    seed = np.arange(1.0, rows + 1)
    dx, dy = pb.grad(found, tensors, pb.tensor(seed))
    np.testing.assert_array_equal(dx.numpy(), np.where(mask, seed, 0))
    np.testing.assert_array_equal(dy.numpy(), np.where(mask, 0, seed))
    broadcast = pnp.where(mask[:, None], pb.tensor(x), 0.0)
    np.testing.assert_array_equal(broadcast.numpy(), np.where(mask[:, None], x, 0.0))
