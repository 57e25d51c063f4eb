"""`sum_to` and `broadcast_like`: shapes, dtypes, and that each is the other's adjoint."""

import numpy as np
import pytest

import pullback as pb
from pullback import primitives


def like(shape, dtype=np.float64):
    """Shape and dtype without data."""
    return primitives.Like(shape, np.dtype(dtype))


@pytest.mark.parametrize(
    ("shape", "target"),
    [((2, 3, 4), (3, 1)), ((2, 3), (2, 3)), ((3,), ()), ((2, 3), (1, 1)), ((0, 3), (3,)), ((2, 3), (1, 3))],
)
def test_adjoint(shape, target):
    """<sum_to(x), y> = <x, broadcast_like(y)>."""
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal(shape), rng.standard_normal(target)
    down, up = primitives.sum_to(x, like(target)), primitives.broadcast_like(y, like(shape))
    assert down.shape == target
    assert up.shape == shape
    assert np.sum(down * y) == pytest.approx(np.sum(x * up))


def test_the_dtype_is_the_operands():
    assert primitives.sum_to(np.ones((2, 3)), like((3,), np.float32)).dtype == np.float32
    assert primitives.broadcast_like(np.ones(3, np.float32), like((2, 3))).dtype == np.float64


def test_a_real_operand_takes_the_real_part():
    np.testing.assert_array_equal(primitives.sum_to(np.array([1 + 2j, 3 - 1j]), like(())), 4.0)


@pytest.mark.parametrize(("shape", "target"), [((3,), (2,)), ((3,), (2, 3)), ((2, 3), (2,))])
def test_a_gradient_that_does_not_fit_is_refused(shape, target):
    with pytest.raises(pb.errors.GradientShapeError, match="does not fit"):
        primitives.sum_to(np.ones(shape), like(target))


def test_like_of_a_list():
    assert primitives.like([np.ones(2), np.ones((3, 1), np.float32)]) == (
        like((2,)),
        like((3, 1), np.float32),
    )
