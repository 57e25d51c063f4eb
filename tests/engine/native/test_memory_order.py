"""Results of loops over entries lie in memory as their operands do, as NumPy's and PyTorch's do."""

from __future__ import annotations

import numpy as np
import pytest

import pullback as pb

pytestmark = pytest.mark.native

A = np.arange(24.0).reshape(2, 3, 4) / 8 + 0.25


@pytest.fixture(autouse=True)
def _native_engine():
    with pb.use_engine("native"):
        yield


@pytest.mark.parametrize("axes", [(2, 0, 1), (1, 0, 2), (0, 2, 1), (2, 1, 0)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_values_and_strides_are_numpys(axes, dtype):
    x = np.transpose(A.astype(dtype), axes)
    for function in (np.exp, lambda a: a * a + 1, lambda a: a * 2, lambda a: a**3):
        found = function(pb.tensor(x)).numpy()
        np.testing.assert_allclose(found, function(x), rtol=1e-6)
        assert found.strides == x.strides


def test_operands_of_several_orders_give_c_order():
    x, y = A, np.transpose(A, (2, 0, 1)).copy().transpose(1, 2, 0)
    for one, other in ((x, y), (y, x), (y, A[:, :1]), (y[:, ::2], x[:, ::2])):
        found = (pb.tensor(one) * pb.tensor(other)).numpy()
        np.testing.assert_array_equal(found, one * other)
        assert found.flags.c_contiguous


def test_gaps_turned_axes_and_empty_arrays():
    for view in (A.T[::2], A.T[::-1], A.T[:, :0], A[:, :, ::2].T, A.T[None]):
        np.testing.assert_array_equal((pb.tensor(view) * 2.0).numpy(), view * 2)


def test_first_and_second_gradients():
    for order in ("F", "C"):
        x = pb.tensor(np.asarray(A[0], order=order), requires_grad=True)
        y = (x.T * x.T * np.exp(x.T)).sum(axis=0) * np.arange(1.0, 4)
        (first,) = pb.grad(y.sum(), x, create_graph=True)
        (second,) = pb.grad((first * first).sum(), x)
        a, weights = A[0], np.arange(1.0, 4)[:, None]
        slope = weights * (a * a + 2 * a) * np.exp(a)
        np.testing.assert_allclose(first.detach().numpy(), slope, rtol=1e-12)
        bend = weights * (a * a + 4 * a + 2) * np.exp(a)
        np.testing.assert_allclose(second.numpy(), 2 * slope * bend, rtol=1e-12)


def test_a_leafs_gradient_is_added_to():
    x = pb.tensor(np.asfortranarray(A[0]), requires_grad=True)
    for _ in range(2):
        (x * x).sum().backward()
    (x.T * 1.0).sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), 4 * A[0] + 1)
