"""A stable order keeps its meaning under PyTorch's and JAX's names, where the kind is another argument."""

import numpy as np
import pytest

import pullback as pb
from pullback import primitives

TIES = np.array([2.0, 1.0, 2.0, 1.0, 0.0, 1.0] * 6)
WEIGHTS = np.arange(36.0)


@pb.formula
def sorted_by_places(a):
    places = np.argsort(a, -1, kind="stable")

    def sorted_by_places_pullback(grad):
        return primitives.put_along(grad, places, axis=-1, shape=np.shape(a))

    return np.take_along_axis(a, places, -1), sorted_by_places_pullback


def expected():
    wanted = np.empty_like(WEIGHTS)
    wanted[np.argsort(TIES, kind="stable")] = WEIGHTS
    return wanted


@pytest.mark.torch
def test_by_pytorch():
    torch = pytest.importorskip("torch")
    from pullback.torch import function

    x = torch.tensor(TIES, requires_grad=True)
    (function(sorted_by_places)(x) * torch.tensor(WEIGHTS)).sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), expected())


@pytest.mark.jax
def test_by_jax():
    jax = pytest.importorskip("jax")
    from pullback.jax import function

    with jax.enable_x64(True):
        found = jax.grad(lambda x: (function(sorted_by_places)(x) * WEIGHTS).sum())(TIES)
    np.testing.assert_array_equal(np.asarray(found), expected())


@pytest.mark.jax
def test_by_a_module_of_jax():
    jax = pytest.importorskip("jax")
    from tests.frameworks.texts import jax_text

    names = {}
    exec(jax_text(sorted_by_places), names)
    with jax.enable_x64(True):
        found = jax.grad(lambda x: (names["sorted_by_places"](x) * WEIGHTS).sum())(TIES)
    np.testing.assert_array_equal(np.asarray(found), expected())
