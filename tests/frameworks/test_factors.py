"""Gradients of matrix products in texts: vectors, matrices and stacks of them, on both sides."""

import numpy as np
import pytest

import pullback as pb
from tests.frameworks.texts import jax_text


@pb.derive_pullback
def product(x, y):
    return np.matmul(np.sin(x), y)


SHAPES = [
    ((3,), (3,)),
    ((2, 3), (3,)),
    ((3,), (3, 4)),
    ((2, 3), (3, 4)),
    ((5, 2, 3), (3, 4)),
    ((2, 3), (5, 3, 4)),
    ((3,), (5, 3, 4)),
    ((5, 2, 3), (3,)),
    ((4, 1, 2, 3), (5, 3, 2)),
]


def operands(shapes):
    rng = np.random.default_rng(3)
    return [rng.standard_normal(shape) for shape in shapes]


def expected(arrays):
    """Of the sum of squares: both gradients, and those of the sum of their squares."""
    first = pb.func.grad(lambda *given: (product(*given) ** 2).sum(), argnums=(0, 1))
    second = pb.func.grad(lambda *given: sum((one**2).sum() for one in first(*given)), argnums=(0, 1))
    return [np.asarray(one) for one in (*first(*arrays), *second(*arrays))]


@pytest.mark.torch
@pytest.mark.parametrize("shapes", SHAPES, ids=str)
def test_by_pytorch(shapes):
    torch = pytest.importorskip("torch")
    from pullback.torch import function

    made, arrays = function(product), operands(shapes)
    assert "ndim_equal" not in made.source
    given = [torch.tensor(array, requires_grad=True) for array in arrays]
    first = torch.autograd.grad((made(*given) ** 2).sum(), given, create_graph=True)
    second = torch.autograd.grad(sum((one**2).sum() for one in first), given)
    for found, wanted in zip((*first, *second), expected(arrays), strict=True):
        np.testing.assert_allclose(found.detach().numpy(), wanted, rtol=1e-10, atol=1e-12)


@pytest.mark.jax
@pytest.mark.parametrize("shapes", SHAPES, ids=str)
def test_by_a_module_of_jax(shapes):
    jax = pytest.importorskip("jax")

    names, arrays = {}, operands(shapes)
    exec(jax_text(product), names)
    with jax.enable_x64(True):
        first = jax.grad(lambda *given: (names["product"](*given) ** 2).sum(), argnums=(0, 1))
        second = jax.grad(lambda *given: sum((one**2).sum() for one in first(*given)), argnums=(0, 1))
        made = [*first(*arrays), *second(*arrays)]
    for found, wanted in zip(made, expected(arrays), strict=True):
        np.testing.assert_allclose(np.asarray(found), wanted, rtol=1e-10, atol=1e-12)
