"""What the transformation puts into closures, on arrays."""

import numpy as np
import pytest

import pullback as pb
from pullback import primitives

F64, F32 = np.dtype(np.float64), np.dtype(np.float32)


@pytest.mark.parametrize("shape", [(4,), (3, 1), (1, 4), (), (3, 4), (2, 3, 4), (1, 1, 1)])
def test_sum_to_is_the_adjoint_of_broadcasting(shape):
    rng = np.random.default_rng(0)
    x, g = rng.standard_normal(shape), rng.standard_normal((2, 3, 4))
    spread = primitives.broadcast_like(x, primitives.Like((2, 3, 4), F64))
    back = primitives.sum_to(g, primitives.like(x))
    assert back.shape == shape
    np.testing.assert_allclose((spread * g).sum(), (x * back).sum())


@pytest.mark.parametrize(("have", "want"), [((3,), (4,)), ((), (2,)), ((4, 3), (4,)), ((2,), (1, 2))])
def test_sum_to_refuses_what_does_not_fit(have, want):
    with pytest.raises(pb.errors.GradientShapeError, match="does not fit"):
        primitives.sum_to(np.ones(have), primitives.Like(want, F64))


def test_sum_to_casts_and_takes_the_real_part():
    assert primitives.sum_to(np.ones(3), primitives.Like((3,), F32)).dtype == F32
    assert primitives.sum_to(np.array([1 + 2j]), primitives.Like((1,), F64)).tolist() == [1.0]


def test_like_of_arrays_numbers_and_tensors():
    assert primitives.like(np.zeros((2, 3), F32)) == ((2, 3), F32)
    assert primitives.like(2.0) == ((), F64)
    assert primitives.like(pb.tensor([1.0])) == ((1,), F64)


@pytest.mark.parametrize(
    "index",
    [
        1,
        slice(None, None, 2),
        (slice(None), 0),
        (Ellipsis, None, 1),
        [0, 0, 1],
        np.array([1, 1]),
        (0, [1, 1]),
    ],
)
def test_unslice_is_the_adjoint_of_indexing(index):
    x = np.arange(6.0).reshape(2, 3)
    part = x[index]
    g = np.random.default_rng(0).standard_normal(part.shape)
    np.testing.assert_allclose((part * g).sum(), (x * primitives.unslice(g, index=index, shape=(2, 3))).sum())


def test_stop_gradient_of_arrays_and_tensors():
    array = np.ones(2)
    assert pb.stop_gradient(array) is array
    assert not pb.stop_gradient(pb.tensor([1.0], requires_grad=True)).requires_grad


@pytest.mark.parametrize("axis", [0, -1, None])
def test_sum_repeats_of_a_number_that_was_repeated(axis):
    assert primitives.sum_repeats(np.repeat(2.0, 3, axis), repeats=3, axis=axis, shape=()) == 6.0
