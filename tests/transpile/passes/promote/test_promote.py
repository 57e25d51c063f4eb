"""What becomes a hidden output, what is saved otherwise, and what refuses second derivatives."""

import numpy as np
import pytest

import pullback as pb
from pullback.transpile.diagnostics import FormulaError
from pullback.transpile.frontend import read_module
from pullback.transpile.ir import Source
from pullback.transpile.library import Library, formula_in, standard_library
from pullback.transpile.passes.promote.promote import promote
from pullback.transpile.verify import verify
from tests.transpile.texts import SIMPLE


def _promoted(text):
    return verify(promote(formula_in(text), standard_library()))


def _hidden(text):
    return [var.name for var in _promoted(text).hidden]


def test_a_captured_intermediate_is_hidden_and_gains_a_cotangent():
    formula = _promoted(SIMPLE)
    assert [var.name for var in formula.hidden] == ["t"]
    assert [var.name for var in formula.cotangents] == ["grad", "grad_t"]
    assert [(c.name, c.action) for c in formula.captures] == [("b", "saved"), ("t", "promoted")]


def test_the_sweep_s_own_captures_are_promoted_in_turn():
    chain = """
def chain(x):
    t = np.sinh(x) + 1
    u = np.log(t)
    r = u * u
    def chain_pullback(grad):
        return 2 * grad * u * np.cosh(x) * np.exp(-u)
    return r, chain_pullback
"""
    assert _hidden(chain) == ["t", "u"]


def test_cheap_temporaries_are_computed_again():
    text = """
def cubic(x):
    t = np.tanh(x + 0.1 * x * x * x)
    return t * x, lambda grad: grad * (t + x * (1 - t * t) * (1 + 0.3 * x * x))
"""
    assert _hidden(text) == ["t"]


def test_the_author_may_ask_for_recomputation():
    text = """
@pb.formula(recompute=("e",))
def f(x):
    e = np.exp(x)
    return e * x, lambda grad: grad * (e + e * x)
"""
    formula = _promoted(text)
    assert formula.hidden == ()
    assert [(c.name, c.action) for c in formula.captures] == [("e", "recomputed"), ("x", "saved")]


def test_a_captured_view_is_rebuilt_from_its_base():
    text = """
def f(x):
    head = x[0]
    return head * head, lambda grad: primitives.unslice(2 * grad * head, index=0, shape=x.shape)
"""
    assert _promoted(text).hidden == ()


def test_a_hand_written_rule_takes_the_place_of_the_sweep():
    formula = _promoted(
        """
def f(x):
    t = np.exp(x)
    r = t * t
    def f_pullback(grad, grad_t):
        return 2 * grad * t * t + grad_t * t
    return r, f_pullback
"""
    )
    assert [var.name for var in formula.hidden] == ["t"]
    assert not any(eqn.op == "accumulate" for eqn in formula.pullback.eqns)


def test_the_sweep_reaches_a_result_through_the_author_s_closure():
    formula = _promoted(
        """
def f(x):
    r = np.exp(x)
    t = r * r
    def f_pullback(grad):
        return grad * t / r
    return r, f_pullback
"""
    )
    assert [eqn.op for eqn in formula.pullback.eqns].count("accumulate") >= 1
    assert formula.barrier == ""


def test_a_formula_without_a_closure_gets_one():
    formula = _promoted("def f(x):\n    return np.exp(x) * np.exp(-x * x)\n")
    assert formula.pullback is not None
    assert len(formula.pullback.results) == 1


def test_an_opaque_call_in_a_derived_closure_is_a_located_error():
    with pytest.raises(FormulaError, match=r"example\.py:2:12: PB106"):
        promote(formula_in("def f(x):\n    return np.mystery(x)\n"), standard_library())


def test_formulas_that_need_each_other_are_a_located_error():
    text = """
import pullback as pb
@pb.composite(pb.one)
def one(x):
    return two(x)
@pb.composite(pb.two)
def two(x):
    return one(x)
"""
    module = read_module(Source("loop.py", text))
    found = [finding.code for finding in module.diagnostics]
    for formula in module.formulas.values():
        with pytest.raises(FormulaError) as error:
            Library(module.formulas, standard_library()).promoted(formula.name)
        found += [finding.code for finding in error.value.diagnostics]
    assert found
    assert set(found) <= {"PB105", "PB106"}


def test_first_order_only_is_a_barrier():
    text = (
        "@pb.formula(first_order_only=True)\ndef f(x):\n    return np.exp(x), lambda grad: grad * np.exp(x)\n"
    )
    assert "first_order_only" in _promoted(text).barrier


def test_a_list_that_the_sweep_captures_is_captured_by_its_elements():
    text = """
def f(x, w):
    t = np.einsum("ij,j->i", x, np.tanh(w))
    def f_pullback(grad):
        return 2 * grad * np.outer(t, np.tanh(w)), np.einsum("ij,i->j", x, 2 * grad * t)
    return np.sum(t * t), f_pullback
"""
    formula = _promoted(text)
    assert not any(var.kind == "list" for var in formula.plain)
    assert {"t", "tanh_1"} <= {var.name for var in formula.hidden}


def test_an_array_of_tensors_is_a_stack():
    text = "def f(x, y):\n    return np.array([x, y])\n"
    made = promote(formula_in(text), standard_library())
    assert [eqn.op for eqn in made.forward.eqns if eqn.op in ("stack", "opaque")] == ["stack"]


def turns_and_their_end(x, *, n: int):
    for _ in range(n):
        x = np.sin(x)
    return x, x * np.exp(x)


def side_and_what_it_gives(x, *, n: int):
    if n > 0:
        t = np.sin(x)
        y = t * x
    else:
        t = np.cos(x)
        y = t + x
    return y, y * np.exp(y) * t


@pytest.mark.parametrize("function", [turns_and_their_end, side_and_what_it_gives])
@pytest.mark.parametrize("n", [0, 1, 3])
def test_what_reaches_a_result_from_a_hidden_output_counts_once(function, n):
    """A loop whose last value is a result and whose turns are saved took it twice in second derivatives."""
    formula = pb.derive_pullback(function)
    assert pb.gradcheck(lambda x: formula(x, n=n), np.array([1.0, 0.4]), order=3)


def test_a_derived_closure_is_one_sweep_of_results_and_hidden_outputs():
    """Each operator is passed once, where the cotangents of what it computes have met."""
    derived = _promoted("""
def waves(x, y):
    a = np.sin(x) * y
    b = np.exp(-a * a) + x
    return np.tanh(b) / (1 + a * a)
""")
    assert len(derived.hidden) == 4
    assert sum(eqn.op == "cos" for eqn in derived.pullback.every()) == 1
    gradients = {param.name for param in derived.pullback.params[1:]}
    readers = [eqn.op for eqn in derived.pullback.eqns if gradients & {var.name for var in eqn.reads()}]
    assert readers == ["accumulate"] * 4
