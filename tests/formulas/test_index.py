"""Indexing of every kind: the gradient lands on the entries that were taken, as often as they were."""

import numpy as np
import pytest

import pullback as pb
from pullback import primitives

A = np.arange(24.0).reshape(2, 3, 4)
INDEXES = [
    0,
    -1,
    (1, 2, 3),
    (..., 0),
    (slice(None), 1),
    (slice(None, None, -1), slice(1, None), slice(0, 4, 2)),
    (None, 0, ..., None),
    slice(5, 2),
    np.array([0, 1, 1, 0]),
    (slice(None), np.array([2, 0, 2])),
    (np.array([0, 1]), np.array([2, 2])),
    A > 11,
    (0, A[0] % 2 == 0),
]


@pytest.mark.parametrize("index", INDEXES, ids=str)
def test_the_gradient_lands_where_the_entries_were(engine, index):
    x = pb.tensor(A, requires_grad=True)
    taken = x[index]
    weights = np.random.default_rng(0).standard_normal(taken.shape)
    (gradient,) = pb.grad((taken * weights).sum(), [x])
    expected = np.zeros_like(A)
    np.add.at(expected, index, weights)
    np.testing.assert_allclose(gradient.detach().numpy(), expected)


@pytest.mark.parametrize("index", INDEXES, ids=str)
def test_second_order(engine, index):
    assert pb.gradcheck(lambda x: (x * x)[index] * 0.1, A / 10, order=2)


def test_unslice_is_the_adjoint(engine):
    """<A[i], b> = <A, unslice(b)>."""
    for index in INDEXES:
        b = np.random.default_rng(1).standard_normal(A[index].shape)
        np.testing.assert_allclose(
            (A[index] * b).sum(), (A * primitives.unslice(b, index=index, shape=A.shape)).sum()
        )
