"""A compiled function with more inputs, hidden outputs and saved sizes than a machine word has bits."""

import numpy as np
import pytest

import pullback as pb

pytestmark = pytest.mark.compiler

WIDE = 70


def joined(xs: list[pb.Tensor]):
    """A product whose factors are divided by their own sums: every one has a hidden output."""
    t = xs[0]
    for x in xs:
        t = t * np.tanh(x / np.sum(x * x, axis=0))
    return np.sum(t, axis=0)


@pytest.fixture(scope="module")
def compiled():
    return pb.compile(joined, order=1)


def test_a_wide_function_has_the_gradients_of_its_parts(engine, compiled):
    rng = np.random.default_rng(0)
    values = [rng.uniform(0.5, 1.5, (2, 3)) for _ in range(WIDE)]
    found = []
    for function in (compiled, joined):
        xs = [pb.tensor(value, requires_grad=True) for value in values]
        result = function(xs)
        gradients = pb.grad(result, xs, pb.tensor(np.ones(3)))
        found.append([value.detach().numpy() for value in (result, *gradients)])
    assert len(found[0]) == WIDE + 1
    for ours, theirs in zip(*found, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-300)


def test_only_some_of_many_inputs_need_a_gradient(engine, compiled):
    rng = np.random.default_rng(1)
    xs = [pb.tensor(rng.uniform(0.5, 1.5, (2, 3)), requires_grad=k in (3, 68)) for k in range(WIDE)]
    wanted = [xs[3], xs[68]]
    ours = pb.grad(compiled(xs), wanted, pb.tensor(np.ones(3)))
    theirs = pb.grad(joined(xs), wanted, pb.tensor(np.ones(3)))
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(one.numpy(), other.numpy(), rtol=1e-9, atol=1e-300)
