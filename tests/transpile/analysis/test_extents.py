"""What is known of shapes without running: which values have that of another one."""

import numpy as np

import pullback as pb
from pullback.transpile.analysis.extents import extents, own_extent, param_extents
from pullback.transpile.ir import Eqn, Literal, Var
from pullback.transpile.library import formula_in


def known(text):
    """Extents of a formula's values by name."""
    formula = formula_in(text)
    return {var.name: extent for var, extent in extents(formula.forward.eqns, param_extents(formula)).items()}


def test_what_a_loop_carries_keeps_the_extent_that_no_turn_changes():
    found = known(
        "def f(x, w, *, n: int):\n    y, z = x, x\n    for k in range(n):\n"
        "        y, z = np.sin(y) * x, z * w\n    u = y * 1.0\n    v = z * 1.0\n    return u, v\n"
    )
    assert found["u"] == found["x"]
    assert found["v"] not in (found["x"], found["w"])


def test_elements_of_a_list_are_known_where_all_turns_agree():
    found = known(
        "def f(x, w, *, n: int):\n    same, grown, y = [], [], x\n    for k in range(n):\n"
        "        same.append(np.sin(x))\n        y = y * w\n        grown.append(y)\n"
        "    a = same[0]\n    b = grown[0]\n    return a + b\n"
    )
    assert found["a"] == found["x"]
    assert found["b"] == own_extent("b")


def test_branches_that_agree():
    found = known(
        "def f(x, w, *, n: int):\n    if n > 1:\n        y, z = np.sin(x), x\n    else:\n"
        "        y, z = x * 2.0, w\n    u = y * 1.0\n    v = z * 1.0\n    return u, v\n"
    )
    assert found["u"] == found["x"]
    assert found["v"] == own_extent("z")


def test_an_element_of_a_list_is_no_scalar():
    @pb.derive_pullback
    def product(xs: "list[Tensor]", y):  # noqa: F821 - an annotation of the formula language, never evaluated
        return np.sin(xs[0] * y)

    rng = np.random.default_rng(0)
    assert pb.gradcheck(lambda x, y: product([x], y), rng.random((3, 4)), rng.random(4), order=2)


def test_nothing_is_known_of_one_branch_alone():
    found = extents(
        formula_in("def f(x, *, n: int):\n    t = np.sin(x) if n else None\n    return x\n").forward.eqns
    )
    assert Var("t") not in found


def test_a_saved_shape_of_a_list_may_be_any():
    likes, like, g, h = Var("likes", "list"), Var("like", "value"), Var("g"), Var("h")
    found = extents([Eqn((like,), "item", (likes, Literal(0))), Eqn((h,), "sum_to", (g,), (("like", like),))])
    assert found[h] == own_extent("like")


def test_what_a_reduction_over_the_first_axis_leaves_broadcasts_to_its_operand():
    found = known(
        "def f(x):\n    a = x - np.mean(x, axis=0)\n    b = x - np.max(x, axis=-1)\n"
        "    c = x - np.expand_dims(x, axis=0)\n    d = x - np.repeat(x, 2, axis=0)\n"
        "    return a + b + c + d\n"
    )
    assert found["a"] == found["x"]
    assert all(found[name] != found["x"] for name in "bcd")
