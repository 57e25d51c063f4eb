"""What is known of shapes and dtypes without running: which values have those of another one."""

import numpy as np
import pytest

import pullback as pb
from pullback.transpile.analysis.types import known_types, param_types, types_of
from pullback.transpile.ir import Eqn, Literal, Var
from pullback.transpile.ir.type_joins import is_uniform, same_array
from pullback.transpile.ir.types import unknown_tensor
from pullback.transpile.library import formula_in


def known(text):
    """Types of a formula's values by name."""
    formula = formula_in(text)
    return {var.name: found for var, found in types_of(formula.forward.eqns, param_types(formula)).items()}


def test_what_a_loop_carries_keeps_the_type_that_no_iteration_changes():
    found = known(
        "def f(x, w, *, n: int):\n    y, z = x, x\n    for k in range(n):\n"
        "        y, z = np.sin(y) * x, z * w\n    u = y * 1.0\n    v = z * 1.0\n    return u, v\n"
    )
    assert same_array(found["u"], found["x"])
    assert not any(same_array(found["v"], found[name]) for name in "xw")


def test_elements_of_a_list_are_known_where_all_iterations_agree():
    found = known(
        "def f(x, w, *, n: int):\n    same, grown, y = [], [], x\n    for k in range(n):\n"
        "        same.append(np.sin(x))\n        y = y * w\n        grown.append(y)\n"
        "    a = same[0]\n    b = grown[0]\n    return a + b\n"
    )
    assert same_array(found["a"], found["x"])
    assert found["b"] == unknown_tensor("b")


def test_branches_that_agree():
    found = known(
        "def f(x, w, *, n: int):\n    if n > 1:\n        y, z = np.sin(x), x\n    else:\n"
        "        y, z = x * 2.0, w\n    u = y * 1.0\n    v = z * 1.0\n    return u, v\n"
    )
    assert same_array(found["u"], found["x"])
    assert same_array(found["v"], unknown_tensor("z"))


def test_an_element_of_a_list_is_no_scalar():
    @pb.derive_pullback
    def product(xs: "list[Tensor]", y):  # noqa: F821 - an annotation of the formula language, never evaluated
        return np.sin(xs[0] * y)

    rng = np.random.default_rng(0)
    assert pb.gradcheck(lambda x, y: product([x], y), rng.random((3, 4)), rng.random(4), order=2)


def test_a_value_of_one_branch_alone_may_be_none():
    formula = formula_in(
        "def f(x, *, n: int):\n    t = np.sin(x) if n else None\n    return x if t is None else x * t\n"
    )
    found = known_types(formula)[Var("t")]
    assert found.optional
    assert same_array(found, known_types(formula)[Var("x")])


def test_a_saved_shape_of_a_list_may_be_any():
    likes, like, g, h = Var("likes", "list"), Var("like", "value"), Var("g"), Var("h")
    found = types_of(
        [Eqn((like,), "item", (likes, Literal(0))), Eqn((h,), "sum_to", (g,), (("like", like),))], {}
    )
    assert found[h] == unknown_tensor("h")


def test_what_a_reduction_over_the_first_axis_leaves_broadcasts_to_its_operand():
    found = known(
        "def f(x):\n    a = x - np.mean(x, axis=0)\n    b = x - np.max(x, axis=-1)\n"
        "    c = x - np.expand_dims(x, axis=0)\n    d = x - np.repeat(x, 2, axis=0)\n"
        "    return a + b + c + d\n"
    )
    assert same_array(found["a"], found["x"])
    assert not any(same_array(found[name], found["x"]) for name in "bcd")


@pytest.mark.parametrize(("body", "uniform"), [("x * k", True), ("x[k:]", False)])
def test_elements_that_iterations_make_alike_have_one_shape(body, uniform):
    found = known(
        f"def f(x, *, n: int):\n    parts = []\n    for k in range(n):\n        parts.append({body})\n"
        "    return parts[0]\n"
    )
    assert any(map(is_uniform, found.values())) == uniform


def test_two_values_of_numbers_that_differ_in_dtype_are_not_the_same():
    found = known(
        "def f(x):\n    a = np.where(x > 0, 1.0, 0.0)\n    b = x * a\n    c = x * (x > 0)\n    return b + c\n"
    )
    assert same_array(found["c"], found["x"])
    assert not same_array(found["b"], found["x"])  # where of two Python numbers is float64
