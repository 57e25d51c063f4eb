"""Gradients that are copied because somebody else has their memory: their values, and their order in it."""

import numpy as np
import pytest

import pullback as pb

pytestmark = pytest.mark.native

DTYPES = (np.float16, np.float32, np.float64, np.complex64, np.complex128)
SEEDS = {
    "in order": lambda a: a,
    "backwards": lambda a: a[:, ::-1],
    "backwards in all axes": lambda a: a[::-1, ::-1],
    "steps": lambda a: a[::2, ::3],
    "transposed": lambda a: a.T,
    "transposed steps": lambda a: a[::3, ::2].T,
    "repeated": lambda a: np.broadcast_to(a[:, None], (40, 3, 50)),
    "repeated numbers": lambda a: np.broadcast_to(a[0, 0], (3, 4)),
    "turned inside": lambda a: a.reshape(4, 10, 50).transpose(0, 2, 1),
    "nothing": lambda a: a[:0],
    "a number": lambda a: a[3, 4],
}


def copy_of(seed):
    """The gradient of what is as it was: the seed, which is copied since it is not the engine's."""
    x = pb.tensor(np.zeros(np.shape(seed), seed.dtype), requires_grad=True)
    return pb.grad(x.reshape(x.shape), x, grad_outputs=pb.tensor(seed))[0].numpy()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", SEEDS)
def test_values(name, dtype):
    seed = SEEDS[name](np.arange(2000).reshape(40, 50).astype(dtype))
    np.testing.assert_array_equal(copy_of(seed), seed)


def test_large_ones_are_copied_in_tiles():
    whole = np.arange(70 * 33 * 41.0).reshape(70, 33, 41)
    for seed in (whole.transpose(0, 2, 1), whole[:, ::-1].T, whole[::2, :, ::-1].transpose(1, 0, 2)):
        np.testing.assert_array_equal(copy_of(seed), seed)


def test_what_is_repeated_lies_in_order():
    x = pb.tensor(np.ones((2, 3, 4)), requires_grad=True)
    assert pb.grad(x.sum(axis=1), x, grad_outputs=pb.tensor(np.ones((2, 4))))[0].numpy().flags.c_contiguous
