"""What is not compiled is refused with its place."""

import pytest

from pullback.transpile.diagnostics import FormulaError
from pullback.transpile.library import formula_in, standard_library
from pullback.transpile.loops.kernels.formula_kernels import formula_kernels


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("def f(x):\n    return 1, lambda grad: None\n", "example.py:1:1: PB501"),
        (
            "def f(x):\n    return x * np.poly1d(3), lambda grad: grad\n",
            "example.py:2:16: PB501 error: `np.poly1d`",
        ),
    ],
)
def test_a_refusal_says_where(text, place):
    library = standard_library()
    with pytest.raises(FormulaError) as error:
        formula_kernels(formula_in(text), library, {}, 0)
    assert str(error.value).startswith(place)
