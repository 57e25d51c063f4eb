"""Every pattern of inputs that need a gradient, and of results that have one, gives the same numbers."""

from itertools import product

import numpy as np
import pytest

import pullback as pb
from tests.sampling import sampled

from .test_examples import FORMULAS, NAMES


def _orders(formula, args, kwargs, needed, used, every):
    """First and second derivatives for some inputs and results; with `every`, all inputs require grad."""
    tensors = [pb.tensor(a, requires_grad=every or n) for a, n in zip(args, needed, strict=True)]
    wanted = [t for t, n in zip(tensors, needed, strict=True) if n]
    results = formula(*tensors, **kwargs)
    results = results if isinstance(results, tuple) else (results,)
    scalar = sum((r * r).sum() for r, u in zip(results, used, strict=True) if u)
    first = pb.grad(scalar, wanted, create_graph=True, materialize_grads=True)
    scalar = sum((g * g).sum() for g in first)
    second = pb.grad(scalar, wanted, materialize_grads=True) if scalar.requires_grad else ()
    return [g.detach().numpy() for g in (*first, *second)]


@pytest.mark.parametrize("name", sampled(NAMES, 2))
def test_every_pattern(engine, variant, name):
    formula = variant(FORMULAS[name])
    args, kwargs = FORMULAS[name].samples()[0]
    results = 2 if name == "lstm_cell" else 1
    for used in product([True, False], repeat=results):
        for needed in product([True, False], repeat=len(args)):
            if any(used) and any(needed):
                special = _orders(formula, args, kwargs, needed, used, every=False)
                general = _orders(formula, args, kwargs, needed, used, every=True)
                for one, other in zip(special, general, strict=True):
                    np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)
