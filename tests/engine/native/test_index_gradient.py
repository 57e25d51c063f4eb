"""Gradients of rows that integers select, which are added without Python: as the reference engine's."""

import numpy as np
import pytest

import pullback as pb

pytestmark = pytest.mark.native

INDEXES = {
    "each once": np.array([2, 0, 3]),
    "again and again": np.array([1, 3, 1, 1, 3]),
    "from the end": np.array([-1, 0, -4]),
    "of two axes": np.array([[0, 1], [1, 0], [3, 3]]),
    "none": np.array([], int),
    "narrow integers": np.array([1, 1, 2], np.int32),
    "a mask": np.array([True, False, True, True]),
    "a pair": (np.array([0, 0, 2]), np.array([1, 1, 3])),
    "columns": (slice(None), np.array([4, 4, 0])),
}


def gradient(index, shape, dtype, *, strided=False):
    x = pb.tensor(np.arange(np.prod(shape), dtype=dtype).reshape(shape), requires_grad=True)
    y = x[index] * 1.0 if strided else x[index]
    seed = (np.arange(y.size, dtype=dtype) / 7).reshape(y.shape)
    return pb.grad(y, x, grad_outputs=pb.tensor(seed.T.copy().T if strided else seed))[0].numpy()


@pytest.mark.parametrize("strided", [False, True])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("name", INDEXES)
def test_as_the_reference_engine(name, dtype, strided):
    shapes = [(4, 6), (4, 5, 2)] if type(INDEXES[name]) is tuple else [(4,), (4, 6), (4, 5, 2), (4, 0)]
    for shape in shapes:
        found = gradient(INDEXES[name], shape, dtype, strided=strided)
        with pb.use_engine("reference"):
            np.testing.assert_array_equal(found, gradient(INDEXES[name], shape, dtype, strided=strided))
        assert found.dtype == dtype
        assert found.shape == shape


def test_large_ones_are_added_in_the_order_of_the_integers():
    rng = np.random.default_rng(0)
    rows = rng.integers(-300, 300, 1000)
    seed = rng.standard_normal((1000, 70)).astype(np.float32)
    expected = np.zeros((300, 70), np.float32)
    np.add.at(expected, rows, seed)
    x = pb.tensor(np.zeros((300, 70), np.float32), requires_grad=True)
    np.testing.assert_array_equal(pb.grad(x[rows], x, grad_outputs=pb.tensor(seed))[0].numpy(), expected)


def test_second_derivatives_go_through_it():
    x = pb.tensor([1.0, 2.0, 3.0], requires_grad=True)
    (dx,) = pb.grad((x[np.array([0, 2, 2])] ** 3).sum(), x, create_graph=True)
    np.testing.assert_allclose(dx.detach().numpy(), [3.0, 0.0, 54.0])
    np.testing.assert_allclose(pb.grad(dx.sum(), x)[0].numpy(), [6.0, 0.0, 36.0])
