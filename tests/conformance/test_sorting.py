"""Long and short lines, sorted: NumPy's stable order, NaN last, and gradients that go back by it."""

import numpy as np
import pytest

import pullback as pb

SPECIAL = [np.nan, 0.0, -0.0, np.inf, -np.inf, -np.nan, 5e-324, -5e-324, 1e300, -1e300]


def entries(dtype, shape):
    rng = np.random.default_rng(4)
    if np.dtype(dtype).kind in "bi":
        return rng.integers(-3 if dtype != "bool" else 0, 4, shape).astype(dtype) * np.array(1, dtype)
    values = np.round(rng.standard_normal(shape), 1).astype(dtype)
    with np.errstate(over="ignore"):
        values.ravel()[:: values.size // 10][:10] = np.array(SPECIAL).astype(dtype)
    return values


@pytest.mark.parametrize("shape", [(20,), (63,), (64,), (1000,), (70, 90)])
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "bool"])
def test_positions_are_those_of_a_stable_sort(engine, dtype, shape):
    a = entries(dtype, shape)
    for axis in range(a.ndim):
        places = pb.numpy.argsort(pb.tensor(a), axis, stable=True).numpy()
        np.testing.assert_array_equal(places, np.argsort(a, axis, kind="stable"))
        found = pb.numpy.sort(pb.tensor(a), axis).numpy()
        np.testing.assert_array_equal(found, np.sort(a, axis))


def test_the_whole_range_of_whole_numbers_is_in_order(engine):
    a = np.array([2**63 - 1, -(2**63), 0, -1, 1, 2**40, -(2**40), 255, 256] * 10)
    np.testing.assert_array_equal(pb.numpy.sort(pb.tensor(a)).numpy(), np.sort(a))


@pytest.mark.parametrize("axis", [0, 1])
def test_gradients_return_to_where_the_entries_were(engine, axis):
    rng = np.random.default_rng(5)
    a, weights = rng.standard_normal((2, 70, 80)).astype(np.float32)
    x = pb.tensor(a, requires_grad=True)
    found = pb.grad((pb.numpy.sort(x, axis) * weights).sum(), x)[0].numpy()
    wanted = np.zeros_like(a)
    np.put_along_axis(wanted, np.argsort(a, axis), weights, axis)
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("shape", [(24,), (2, 12), (100,)])
def test_equal_entries_have_their_gradients_in_their_order(engine, shape):
    rng = np.random.default_rng(3)
    a, weights = rng.integers(0, 4, shape).astype(float), rng.standard_normal(shape)
    x = pb.tensor(a, requires_grad=True)
    found = pb.grad((pb.numpy.sort(x, -1) * weights).sum(), x)[0].numpy()
    wanted = np.zeros_like(a)
    np.put_along_axis(wanted, np.argsort(a, -1, kind="stable"), weights, -1)
    np.testing.assert_array_equal(found, wanted)
