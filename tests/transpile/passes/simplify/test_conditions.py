"""Conditionals that their condition decides, or that decide nothing."""

import numpy as np
import pytest

from pullback import primitives
from pullback.engine.core.operator import Operator
from pullback.transpile.library import formula_in, standard_library
from pullback.transpile.passes.promote.promote import promote

# A factor, and how many conditionals are left of it.
FACTORS = {
    "long or False": 0,
    "long and True": 0,
    "long and long": 0,
    "(long or True) and long": 0,
    "(2 if long else 3) if long else (4 if long else 5)": 1,
    "(2 if x.shape[1] > 1 else 3) if long else 2": 2,
    "1 if long else 0": 1,
    "False if long else True": 1,
    "n or True": 1,
    "True if n else False": 1,
}


@pytest.mark.parametrize(("factor", "left"), FACTORS.items(), ids=FACTORS)
@pytest.mark.parametrize(("size", "n"), [(1, 0), (5, 2)])
def test_the_value_is_that_of_the_text(factor, left, size, n):
    text = f"def f(x, n: int):\n    long = x.shape[0] > 2\n    return x * ({factor})\n"
    formula = promote(formula_in(text), standard_library())
    assert sum(eqn.op == "if" for eqn in formula.forward.every()) == left
    operator = Operator(formula, {"np": np, "primitives": primitives})
    namespace = {}
    exec(text, namespace)
    x = np.full((size, 2), 1.5)
    expected = namespace["f"](x, n)
    np.testing.assert_array_equal(operator.forward([x], {"n": n})[0], expected, strict=True)


def test_a_loop_collects_a_value_once():
    text = "def f(x, n: int):\n    for _ in range(n):\n        x = x[1:] * x[:-1]\n    return x\n"
    formula = promote(formula_in(text), standard_library())
    (loop,) = (eqn for eqn in formula.forward.eqns if eqn.op == "for")
    (body,) = loop.blocks
    assert len(set(body.results)) == len(body.results)
