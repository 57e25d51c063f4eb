"""Attributes and sizes as shapes, and their numbers of axes."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import pullback as pb  # noqa: E402 - where torch is
import pullback.torch  # noqa: E402 - where torch is

pytestmark = pytest.mark.torch


@pb.derive_pullback
def filled(x, *, n: int = 3, shape=3):
    return np.full(n, 2.0) * x + np.full(len(x), 1.0) + np.full(shape, x.shape[0]) * np.ndim(shape)


@pytest.mark.parametrize("shape", [3, (3,), (2, 3)])
def test_a_number_stands_for_a_shape(shape):
    x = np.array([0.5, 1.0, -2.0])
    found = pullback.torch.function(filled)(torch.tensor(x), shape=shape)
    np.testing.assert_array_equal(found.numpy(), filled(x, shape=shape))
