"""Expressions of numbers in C++ over ATen."""

from pullback.transpile.emit.aten.module import aten_module
from pullback.transpile.library import formula_in, standard_library
from pullback.transpile.passes.differentiate.derive import derive
from pullback.transpile.passes.promote.promote import promote


def test_the_negative_of_a_truth_value_is_an_integer():
    library = standard_library()
    text = "def turned(x, *, over: bool = False):\n    sign = -over\n    return np.exp(x) * sign + sign\n"
    made = promote(derive(formula_in(text), library), library)
    assert "const int64_t sign = -over;" in aten_module([("turned", made)], library, "operators")
