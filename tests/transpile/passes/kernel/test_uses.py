"""Parameters that are positions, by what a formula does with them."""

import pytest

from pullback.transpile.library import formula_in
from pullback.transpile.passes.kernel.uses import is_position


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return x[i]", True),
        ("return x[i[:, None] + 1, i]", True),
        ("return x[i] * i", False),
        ("k = i if x.ndim > 1 else j\n    return x[k]", True),
        ("k = i if x.ndim > 1 else j\n    return x[k] * k", False),
        ("k = (i if x.shape[0] > 1 else j) if x.ndim > 1 else j\n    return x[k]", True),
        ("if x.ndim > 1:\n        return x[i]\n    return x[j]", True),
        ("if x.ndim > 1:\n        return x[i]\n    return i + x", False),
        ("if x.ndim > 1:\n        return i\n    return x", False),
    ],
)
def test_a_parameter_that_is_an_index_alone_is_one_of_positions(body, expected):
    formula = formula_in(f"def f(x, i, j):\n    {body}\n")
    assert is_position(formula.params[1].var, formula.forward) is expected
