"""The formulas inlined into each other: derived pullbacks, to third order."""

import numpy as np
import pytest

import pullback as pb

from . import derived

NAMES = [name for name, value in vars(derived).items() if isinstance(value, pb.Formula)]

# On tensors, outside of a formula, SciPy's functions that are no ufuncs would make arrays of them.
RECORDED = [name for name in NAMES if name != "probabilities"]


# What C++ has no kernels for runs as Python.
NOT_COMPILED = {"products", "running", "axes_in_order", "pieces", "joined", "matrices"}


@pytest.fixture
def inputs():
    rng = np.random.default_rng(11)
    return rng.uniform(-1.0, 1.0, (3, 4)), rng.uniform(0.5, 1.5, 4)


@pytest.mark.parametrize("name", NAMES)
def test_derived_pullback(engine, inputs, name):
    assert pb.gradcheck(getattr(derived, name), *inputs, order=3)


@pytest.mark.compiler
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if name == "angles" else pytest.mark.slow)
        for name in NAMES
        if name not in NOT_COMPILED
    ],
)
def test_derived_pullback_compiled(engine, inputs, name):
    """Two orders in C++; the third runs the emitted Python on top of them."""
    assert pb.gradcheck(pb.compile(getattr(derived, name)), *inputs, order=3)


@pytest.mark.parametrize("name", RECORDED)
def test_derived_pullback_is_that_of_the_plain_function(engine, inputs, name):
    """The same numbers as the engine finds by calling one formula after the other."""
    formula = getattr(derived, name)
    found = [_orders(function, inputs) for function in (formula, formula.__wrapped__)]
    for derived_one, plain_one in zip(*found, strict=True):
        np.testing.assert_allclose(derived_one, plain_one, rtol=1e-10, atol=1e-12)


def _orders(function, inputs):
    """All gradients of the sum of the results, then of the sum of squares of these, and once more."""
    tensors = [pb.tensor(x, requires_grad=True) for x in inputs]
    scalar = function(*tensors).sum()
    found = []
    for _ in range(3):
        gradients = pb.grad(scalar, tensors, create_graph=True, materialize_grads=True)
        found += [g.detach().numpy() for g in gradients]
        scalar = sum((g * g).sum() for g in gradients)
    return found
