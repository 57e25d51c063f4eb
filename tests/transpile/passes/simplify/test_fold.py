"""Tuples of numbers that are known, joined, repeated and cut."""

import pytest

from pullback.transpile.ir import Literal
from pullback.transpile.library import formula_in
from pullback.transpile.passes.simplify.simplify import simplify


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ("(1,) * 3", (1, 1, 1)),
        ("2 * (1, 4)", (1, 4, 1, 4)),
        ("(2,) + (3, 4) * 1 + (1,) * 0", (2, 3, 4)),
        ("(1,) * -1", ()),
        ("tuple(range(2))", (0, 1)),
        ("(1, 2, 3)[::-1]", (3, 2, 1)),
        ("(1, 2, 3)[-2::-1]", (2, 1)),
        ("(1,) * np.ndim(2.5)", ()),
    ],
)
def test_a_tuple_that_is_known_is_a_constant(shape, expected):
    read = formula_in(f"def f(x, *, axes=()):\n    return np.reshape(x, {shape})\n")
    assert simplify(read.forward).eqns[-1].kwarg("shape") == Literal(expected)


def test_a_long_repetition_is_left_to_run_time():
    read = formula_in("def f(x):\n    return np.reshape(x, (1,) * 100000)\n")
    assert [eqn.op for eqn in simplify(read.forward).eqns] == ["multiply", "reshape"]
