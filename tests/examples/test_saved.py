"""What is saved and what is computed again changes no derivative."""

import numpy as np
import pytest

import pullback as pb
from pullback import primitives
from pullback.engine.core.dispatch import apply
from pullback.engine.core.operator import Operator
from pullback.engine.formula.formula import LIBRARY_OF_PROCESS
from pullback.transpile.passes.promote.promote import promote
from pullback.transpile.passes.promote.save_or_recompute import fused

from .test_examples import FORMULAS, NAMES


def derivatives(operator, args, kwargs):
    """Results, first and second derivatives, by the reference engine."""
    with pb.use_engine("reference"):
        inputs = [pb.tensor(array, requires_grad=True) for array in args]
        found = apply(operator, inputs, kwargs)
        results = found if isinstance(found, tuple) else (found,)
        total = sum((value * value).sum() for value in results)
        first = pb.grad(total, inputs, create_graph=True)
        second = pb.grad(sum((g * g).sum() for g in first), inputs)
        return [value.detach().numpy() for value in (*results, *first, *second)]


@pytest.mark.parametrize("name", NAMES)
def test_derivatives_are_the_same_however_it_is_chosen(name):
    made = FORMULAS[name]
    other = Operator(
        promote(made.ir, LIBRARY_OF_PROCESS, fused), {"np": np, "pb": pb, "primitives": primitives}
    )
    for args, kwargs in made.samples():
        for one, expected in zip(
            derivatives(other, args, kwargs), derivatives(made.operator, args, kwargs), strict=True
        ):
            np.testing.assert_allclose(one, expected, rtol=1e-9, atol=1e-12)
