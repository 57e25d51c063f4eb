"""Reductions go only where shapes are provably equal."""

import numpy as np

import pullback as pb
from pullback import primitives
from pullback.engine.core.operator import Operator
from pullback.transpile.library import formula_in, standard_library
from pullback.transpile.passes.promote.promote import promote
from pullback.transpile.passes.variants.reverse import reverse
from pullback.transpile.verify import verify

# The pullback's temporaries have the names of the forward's, for other values.
VIEWS = """
def views(x):
    v = x[1:]
    r = v * x[:-1]
    def views_pullback(grad):
        later = primitives.unslice(grad * x[:-1], index=slice(1, None), shape=x.shape)
        return later + primitives.unslice(grad * v, index=slice(None, -1), shape=x.shape)
    return r, views_pullback
"""


def _orders(text, inputs, order):
    """Gradients of a formula's backward, of its backward's backward, ...: each a formula that is run."""
    library = standard_library()
    formula = verify(promote(formula_in(text), library))
    found = []
    values = {param.var: value for param, value in zip(formula.params, inputs, strict=True)}
    for _ in range(order):
        operator = Operator(formula, {"np": np, "pb": pb, "primitives": primitives})
        outputs = operator.forward([values[param.var] for param in formula.params], {})
        for var, value in zip(formula.forward.results, outputs, strict=True):
            values[var] = value
        plain = [i < formula.results for i in range(len(formula.cotangents))]
        backward = reverse(formula, plain, [True] * len(formula.inputs))
        for index in backward.cotangents:
            values[formula.cotangents[index]] = np.cos(outputs[index]) if index < formula.results else None
        formula = verify(promote(backward.formula, library))
        found.append([np.asarray(g) for g in _forward(formula, values)])
        values = {param.var: values[param.var] for param in formula.params}
    return found


def _forward(formula, values):
    operator = Operator(formula, {"np": np, "pb": pb, "primitives": primitives})
    return operator.forward([values[param.var] for param in formula.params], {})[: formula.results]


def test_backward_formulas_of_views_keep_their_shapes():
    x = np.random.default_rng(0).standard_normal((2, 4))
    for gradients in _orders(VIEWS, [x], 3):
        assert gradients[0].shape == x.shape
