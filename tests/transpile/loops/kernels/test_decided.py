"""Conditions that the values of attributes decide: what the other side would leave is not saved."""

import numpy as np
import pytest

import pullback as pb
from pullback.transpile.emit.cpp import emit_cpp
from pullback.transpile.library import formula_in, standard_library
from pullback.transpile.loops.kernels.formula_kernels import formula_kernels
from tests.sampling import sampled

UNTAKEN = """
def powers(x, *, n: int):
    r = None
    if {condition}:
        r = np.exp(x) * x
    if r is None:
        r = np.sin(x)
    else:
        r = r * np.cos(r)
    return r * x
"""
POWER = """
def power(a, *, n: int):
    return np.linalg.matrix_power(a, n)
"""


def powers(x, *, n: int):
    r = None
    if n / 3 > 1:
        r = np.exp(x) * x
    r = np.sin(x) if r is None else r * np.cos(r)
    return r * x


def kernels(text, order, **attributes):
    return formula_kernels(formula_in(text), standard_library(), attributes, order)


@pytest.mark.parametrize(
    "condition", ["n > 3", "n**2 > 9", "max(n, 2) > 3", "abs(n) // 2 > 1", "n % 5 == 4", "n / 3 > 1"]
)
@pytest.mark.parametrize("n", [2, 4])
def test_no_kernel_saves_what_the_other_side_would_leave(condition, n):
    made = kernels(UNTAKEN.format(condition=condition), 2, n=n)
    assert not made.limits
    assert len(made.kernels()) == 5
    assert "powers_backward_backward_run" in emit_cpp(made.formula.name, made.kernels(), made.formula.source)


@pytest.mark.parametrize(("n", "products"), sampled([(1, 0), (2, 1), (3, 2), (5, 3), (8, 3)], 2, spread=True))
def test_a_power_of_a_matrix_has_the_products_of_its_exponent_alone(n, products):
    block = kernels(POWER, 0, n=n).forward.block
    assert sum(eqn.op == "matmul" for eqn in block.every()) == products


@pytest.mark.compiler
@pytest.mark.parametrize("n", [2, 4])
def test_the_kernels_of_a_decided_branch_run(n):
    fast = pb.compile(powers)
    x = np.array([0.4, 1.3])
    np.testing.assert_allclose(fast(x, n=n), powers(x, n=n), rtol=1e-14)
    assert pb.gradcheck(lambda x: fast(x, n=n), x, order=2)
    assert not fast.limits(n=n)


def test_that_an_input_is_there_is_no_answer_for_calls_without_it():
    clip = standard_library().formula("clip")
    made = formula_kernels(clip, standard_library(), {}, 1)
    asked = {eqn.outs[0] for eqn in made.formula.forward.every() if eqn.op == "is_none"}
    assert len(asked) == 2
    assert asked <= set(made.formula.pullback.free())
