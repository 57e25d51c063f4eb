"""Rules for forward mode, made by transposing pullbacks: what they read, and what is refused."""

import pytest

from pullback.transpile.diagnostics import FormulaError
from pullback.transpile.frontend import Binding, Names, read_function
from pullback.transpile.ir import Options, Source
from pullback.transpile.library import Library, formula_in, standard_library
from pullback.transpile.passes.promote.promote import promote
from pullback.transpile.passes.variants.transpose import transpose
from pullback.transpile.printer import block_text
from pullback.transpile.verify import verify


def rule(text, *present):
    formula = promote(formula_in(text), standard_library())
    return transpose(formula, present or (True,) * len(formula.inputs), standard_library())


def body(text, *present):
    return block_text(rule(text, *present).formula.forward)


def test_a_result_is_read_not_computed_again():
    made = rule("def f(x):\n    r = np.exp(np.sin(x))\n    return r, lambda grad: grad * r * np.cos(x)")
    assert made.given == (0,)
    assert "exp" not in block_text(made.formula.forward)


def test_an_input_without_tangent_has_no_part():
    text = "def f(a, b):\n    return a * b, lambda grad: (grad * b, grad * a)"
    made = rule(text, True, False)
    assert made.tangents == (0,)
    assert "tangent_b" not in block_text(made.formula.forward)
    assert rule(text, True, True).tangents == (0, 1)


def test_hidden_outputs_have_tangents():
    text = """
def f(a, b):
    t = a + b
    def f_pullback(grad):
        return grad * b, grad * t + grad * b
    return t * b, f_pullback
"""
    made = rule(text)
    assert len(made.formula.forward.results) == 2
    verify(made.formula)


def test_a_zero_tangent_is_none():
    text = "def f(x):\n    return (x * 2, np.floor(x)), lambda grad_a, grad_b: grad_a * 2"
    assert body(text).splitlines()[-1].endswith("None")


def test_shapes_of_a_gradient_are_those_of_its_result():
    made = body("def f(x):\n    return x.sum(), lambda grad: np.broadcast_to(grad, x.shape)")
    assert "grad_grad" not in made.splitlines()[0]
    assert "tangent_x" in made


# Sums of products have a rule by hand; what is derived from them runs as operators and needs none.
BY_HAND = {"contract", "tensordot", "dot", "inner"}


@pytest.mark.parametrize("name", standard_library().names())
def test_every_formula_of_the_library_has_a_rule_or_one_by_hand(name):
    formula = standard_library().promoted(name)
    present = (True,) * len(formula.inputs)
    if name in BY_HAND:
        with pytest.raises(FormulaError):
            transpose(formula, present, standard_library())
    else:
        verify(transpose(formula, present, standard_library()).formula)


REFUSED = {
    "grad * grad * x": "not linear",
    "grad * x + 1.0": "plus a constant",
    "np.sign(grad) * x": "not linear",
    "x * 2.0": "constant",
    "np.where(grad > 0, grad, 0.0)": "not linear",
    "grad * x if grad.sum() > 0 else grad": "not linear",
}


@pytest.mark.parametrize("gradient", REFUSED)
def test_what_is_no_derivative_is_refused_with_its_place(gradient):
    text = f"def f(x):\n    def f_pullback(grad):\n        return {gradient}\n    return x * x, f_pullback"
    names = Names.of({"np": Binding.dotted("numpy")})
    formula = read_function(Source("example.py", text), names, "f", Options(surrogate=True))
    promoted = promote(formula, standard_library())
    with pytest.raises(FormulaError, match=REFUSED[gradient]) as caught:
        transpose(promoted, (True,), standard_library())
    assert "example.py:" in str(caught.value)
    assert "jvp=" in str(caught.value)


def test_an_operator_without_derivative_on_the_way_is_refused():
    with pytest.raises(FormulaError, match="nextafter"):
        rule("def f(x):\n    return x * 2, lambda grad: np.nextafter(grad, 1.0) * x")


def test_formulas_of_the_user_are_found():
    double = formula_in("def double(x):\n    return 2 * x, lambda grad: 2 * grad")
    library = Library({"double": double}, standard_library())
    made = transpose(library.promoted("double"), (True,), library)
    assert "multiply(tangent_x, 2)" in block_text(made.formula.forward)
