"""`x**n` with exponents that NumPy has another function for, which are the functions of the power."""

from __future__ import annotations

import numpy as np
import pytest

import pullback as pb

NUMBERS = np.array([-np.inf, -2.5, -1.0, -0.0, 0.0, 1e-30, 0.7, 1.0, 3.0, 1e30, np.inf, np.nan])
EXPONENTS = [2, 2.0, 3, 3.0, 0.5, -1, -1.0, 0, 1, -2, 1.5]


@pytest.mark.parametrize("exponent", [*EXPONENTS, np.float32(3), np.float64(-1), True, 10**400], ids=repr)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_values_and_dtypes_are_numpys(engine, dtype, exponent):
    x = NUMBERS.astype(dtype)
    with np.errstate(all="ignore"):
        try:
            expected = x**exponent
        except (OverflowError, TypeError) as error:
            with pytest.raises(type(error)):
                pb.tensor(x) ** exponent
            return
        found = (pb.tensor(x) ** exponent).numpy()
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=2 * np.finfo(expected.dtype).eps)
    number = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(found[number]), np.signbit(expected[number]))


@pytest.mark.parametrize("exponent", [2, 3, 3.0, -1, 0.5])
def test_whole_numbers_have_numpys_dtype(engine, exponent):
    x = np.array([1, 2, 5])
    if exponent == -1:
        with pytest.raises(ValueError, match="negative"):
            pb.tensor(x) ** exponent
        return
    expected = x**exponent
    found = (pb.tensor(x) ** exponent).numpy()
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("exponent", EXPONENTS)
def test_derivatives_are_the_powers(engine, exponent):
    values = np.array([0.3, 1.0, 2.5])
    x = pb.tensor(values, requires_grad=True)
    (first,) = pb.grad((x**exponent).sum(), x, create_graph=True)
    np.testing.assert_allclose(first.detach().numpy(), exponent * values ** (exponent - 1.0), atol=1e-15)
    if first.requires_grad:
        (second,) = pb.grad(first.sum(), x, materialize_grads=True)
        expected = exponent * (exponent - 1) * values ** (exponent - 2.0)
        np.testing.assert_allclose(second.numpy(), expected, atol=1e-14)


@pytest.mark.parametrize(("exponent", "slope"), [(3, 0.0), (2, 0.0), (0.5, np.inf), (-1, -np.inf)])
def test_slopes_at_zero(engine, exponent, slope):
    x = pb.tensor(0.0, requires_grad=True)
    with np.errstate(all="ignore"):
        (found,) = pb.grad(x**exponent, x)
    assert found.item() == slope


def test_forward_mode_and_batches(engine):
    x = np.array([0.3, 2.0])
    _, tangent = pb.jvp(lambda x: x**3 + x**-1 + x**0.5, (x,), (np.ones(2),))
    np.testing.assert_allclose(np.asarray(tangent), 3 * x**2 - x**-2.0 + 0.5 / np.sqrt(x))
    batched = pb.func.vmap(lambda row: (row**3 * row**-1).sum())(np.stack([x, x + 1]))
    np.testing.assert_allclose(np.asarray(batched), [(x**2).sum(), ((x + 1) ** 2).sum()])
