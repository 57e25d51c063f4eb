"""Whole files: which functions are formulas, what module-level names stand for."""

import pytest

from pullback.transpile.frontend import read_module
from pullback.transpile.ir import Source
from pullback.transpile.library import Library, standard_library

from .reading import equations, findings, formula, module


@pytest.mark.parametrize(
    "head",
    [
        "import pullback\n@pullback.formula\n",
        "import pullback as p\n@p.formula\n",
        "from pullback import formula\n@formula\n",
        "from pullback import formula as operator\n@operator()\n",
        "try:\n    import pullback as pb\nexcept ImportError:\n    pb = None\n@pb.formula\n",
        "import pullback as pb\nclass A:\n    @staticmethod\n    @pb.formula\n",
    ],
)
def test_the_decorator_by_any_name(head):
    pad = "    " if "class" in head else ""
    found = read_module(Source("f.py", f"{head}{pad}def f(x):\n{pad}    return x, lambda g: g\n"))
    assert ("pb = None" in head) or list(found.formulas) == ["f"]


def test_targets_and_options():
    text = """
    @pb.formula(np.mean, first_order_only=True, save=("t",), nondifferentiable=1)
    def f(x):
        t = np.exp(x)
        return (t, t > 0), lambda g, h: g * t
    """
    read = formula(text)
    assert read.target == "numpy.mean"
    assert read.options.first_order_only
    assert not read.options.surrogate
    assert (read.options.save, read.options.nondifferentiable) == (("t",), (1,))


@pytest.mark.parametrize("option", ["first_order_only=1", "save=x", "speed=3"])
def test_an_option_that_is_none(option):
    assert findings(f"@pb.formula({option})\ndef f(x):\n    return x, lambda g: g\n")[0][:2] == ("PB408", 1)


@pytest.mark.parametrize(
    ("option", "value"), [("save='q'", "q"), ("recompute=('q',)", "q"), ("nondifferentiable=1", "1")]
)
def test_an_option_that_names_what_is_not_there(option, value):
    text = f"@pb.formula({option})\ndef f(x):\n    return x, lambda g: g\n"
    assert findings(text, "PB408") == [("PB408", 1, 2, value)]


def test_a_constant_of_another_module_is_a_value():
    text = "from .constants import C\n@pb.formula\ndef f(x):\n    return x * C, lambda g: g * C\n"
    assert equations(formula(text)) == ["_1 = multiply(x, C)"]


def test_a_composite_needs_no_closure():
    read = formula("@pb.composite(np.var)\ndef f(x):\n    return np.mean(x * x)\n")
    assert (read.pullback, read.target) == (None, "numpy.var")


def test_module_level_numbers_are_constants():
    text = (
        "C = np.sqrt(2 / np.pi)\nD = (1, 2)\nE = D\n@pb.formula\n"
        "def f(x):\n    return np.sum(x * C, E), lambda g: g\n"
    )
    assert equations(formula(text)) == ["_1 = multiply(x, 0.7978845608028654)", "_2 = sum(_1, axis=(1, 2))"]


@pytest.mark.parametrize(
    "head", ["C = 1\nC = 2", "C = 1\nC += 1", "C = np.ones(3)", "C, D = 1, 2", "class C: pass"]
)
def test_module_level_names_that_may_change_are_foreign(head):
    text = f"{head}\n@pb.formula\ndef f(x):\n    return x * C, lambda g: g\n"
    assert findings(text, "PB104")[0][3] == "C"


def test_a_factory_parameter_is_an_attribute():
    text = """
    def make(alpha):
        def scaled(v):
            return v * alpha
        @pb.formula
        def f(x):
            return scaled(x), lambda g: g * alpha
        return f
    """
    read = formula(text)
    assert [(param.var.name, param.attribute) for param in read.params] == [("x", False), ("alpha", True)]
    assert [(capture.name, capture.verdict.value) for capture in read.captures] == [("alpha", "size")]


def test_two_formulas_of_one_name_are_both_read():
    body = "    @pb.formula\n    def f(x):\n        return x, lambda g: g\n"
    found = module(f"def one():\n{body}def two():\n{body}")
    assert len(found.formulas) == 2


def test_an_unreadable_formula_is_counted_and_the_others_are_read():
    found = module(
        "@pb.formula\ndef bad(x):\n    yield x\n@pb.formula\ndef f(x):\n    return x, lambda g: g\n"
    )
    assert ([one.name for one in found.unreadable], list(found.formulas)) == (["bad"], ["f"])


def test_a_syntax_error_is_one_finding():
    found = read_module(Source("f.py", "import pullback\ndef f(:\n"))
    assert [(item.code, item.span.line) for item in found.diagnostics] == [("PB400", 2)]
    assert found.formulas == {}


def test_a_formula_named_like_a_word_has_calls_of_another_name():
    text = """
import pullback as pb
@pb.formula
def inner(x):
    return 2 * x, lambda grad: 2 * grad
@pb.formula
def caller(x):
    return inner(x), lambda grad: 2 * grad
"""
    module = read_module(Source("clash.py", text))
    assert module.diagnostics == []
    assert [eqn.op for eqn in module.formulas["caller"].forward.eqns] == ["inner_2"]
    promoted = Library(module.operators, standard_library()).promoted("inner_2")
    assert [eqn.op for eqn in promoted.forward.eqns] == ["multiply"]


def test_a_closure_of_a_formula_named_like_a_word_calls_its_own_operator():
    text = """
import pullback as pb
@pb.formula
def inner(x):
    return 2 * x, lambda grad: inner(grad)
"""
    read = read_module(Source("own.py", text)).formulas["inner"]
    assert [eqn.op for eqn in read.pullback.eqns] == ["inner_2"]


def test_a_closure_that_holds_for_complex_values_says_so():
    text = "@pb.formula(complex=True)\ndef f(x):\n    return x * 2, lambda g: 2 * g\n"
    assert findings(text) == []
    assert read_module(Source("own.py", "import pullback as pb\n" + text)).formulas["f"].options.complex


def test_a_tuple_of_a_shape_or_a_range():
    for fine in ("tuple(x.shape)", "tuple(range(x.ndim))"):
        assert findings(f"@pb.formula\ndef f(x):\n    return x * 2, lambda g: g.reshape({fine}) * 2\n") == []
    text = "@pb.formula\ndef f(x, y):\n    return x * 2, lambda g: (g.reshape(tuple(y)) * 2, None)\n"
    assert [found[0] for found in findings(text)] == ["PB404"]


@pytest.mark.parametrize("name", ["opaque", "item", "shape", "format"])
def test_a_formula_may_be_named_like_an_operator_of_the_ir(name):
    text = f"""
import pullback as pb
@pb.formula
def {name}(x):
    return 2 * x, lambda grad: 2 * grad
@pb.formula
def caller(x):
    return {name}(x), lambda grad: 2 * grad
"""
    module = read_module(Source("names.py", text))
    assert [eqn.op for eqn in module.formulas["caller"].forward.eqns] == [f"{name}_2"]


def test_a_function_under_derive_pullback_is_read_where_a_formula_calls_it():
    found = formula("""
        @pb.derive_pullback
        def exp(x):
            return 2 * np.exp(x)

        @pb.formula
        def f(x):
            return exp(x), lambda grad: grad * exp(x)
    """)
    assert equations(found) == ["_1 = exp(x)", "_2 = multiply(2, _1)"]
