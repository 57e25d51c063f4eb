"""Products in float64 whose gradient is one of float32: the root of a size widens what it meets."""

import numpy as np
import pytest

import pullback as pb
import pullback.numpy as pnp

pytestmark = pytest.mark.compiler


def attention(q, k, v):
    scores = q @ k.T / np.sqrt(q.shape[-1])
    weights = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    return weights / np.sum(weights, axis=-1, keepdims=True) @ v


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_two_derivatives_are_compiled_and_those_of_the_formula(dtype):
    rng = np.random.default_rng(0)
    arrays = [rng.normal(size=(5, 3)).astype(dtype) for _ in range(3)]
    fast, derived = pb.compile(attention), pb.derive_pullback(attention)
    assert not fast.limits()
    found = []
    for function in (fast, derived):
        xs = [pb.tensor(array, requires_grad=True) for array in arrays]
        first = pb.grad(pnp.sum(function(*xs) ** 2), xs, create_graph=True)
        found.append(pb.grad(sum(pnp.sum(gradient**2) for gradient in first), xs))
    for one, other in zip(*found, strict=True):
        assert one.dtype == other.dtype == dtype
        np.testing.assert_allclose(one.numpy(), other.numpy(), rtol=1e-9 if dtype == "float64" else 2e-4)
