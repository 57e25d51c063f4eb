"""Numbers of axes of results, where those of operands are known."""

import pytest

from pullback.transpile.analysis.types import types_of
from pullback.transpile.ir import Eqn, Literal, Var
from pullback.transpile.ir.types import TensorType, rank_of, ranked
from pullback.transpile.passes.kernel.arguments import asks_ranks

from ...emitting import compiled, function

X, Y, R = Var("x"), Var("y"), Var("r")
KNOWN = {X: TensorType(ranked("x", 3), "x.dtype"), Y: TensorType(ranked("y", 1), "y.dtype")}


@pytest.mark.parametrize(
    ("op", "args", "kwargs", "expected"),
    [
        ("add", (X, Y), {}, 3),
        ("sum", (X,), {}, 0),
        ("sum", (X,), {"axis": (0, 1)}, 1),
        ("sum", (X,), {"axis": 0, "keepdims": True}, 3),
        ("norm", (X,), {"axis": 1, "keepdims": True}, 3),
        ("std", (X,), {}, 0),
        ("expand_dims", (X,), {"axis": (0, 1)}, 5),
        ("squeeze", (X,), {"axis": 0}, 2),
        ("squeeze", (X,), {}, None),
        ("reshape", (X,), {"shape": (2, -1)}, 2),
        ("matmul", (X, X), {}, 3),
        ("matmul", (X, Y), {}, 2),
        ("matmul", (Y, Y), {}, 0),
        ("swapaxes", (X,), {"axis1": 0, "axis2": 1}, 3),
        ("solve", (X, Y), {}, 2),
        ("solve", (X, X), {}, 3),
        ("pinv", (X,), {}, 3),
        ("det", (X,), {}, 1),
        ("tile", (Y,), {"reps": (2, 3)}, 2),
        ("convolve", (Y, Y), {}, 1),
        ("moveaxis", (X,), {"source": (0, 1), "destination": (-1, 0)}, 3),
        ("tensordot", (X, X), {"axes": 2}, 2),
        ("flatten_axes", (X,), {"axis": (0, 1)}, 2),
        ("searchsorted", (Y, X), {}, 3),
        ("opaque", (X,), {}, None),
    ],
)
def test_number_of_axes(op, args, kwargs, expected):
    eqn = Eqn((R,), op, args, tuple((key, Literal(value)) for key, value in kwargs.items()))
    assert rank_of(types_of([eqn], KNOWN)[R]) == expected


@pytest.mark.parametrize(
    ("index", "rank"),
    [
        ((Var("k", "value"),), 2),
        ((Literal(slice(None)), Var("k", "value")), 2),
        ((Var("k", "value"), Literal(None), Literal(0)), 2),
        ((Literal(Ellipsis), Var("part", "value")), 3),
        ((Y,), None),
    ],
)
def test_axes_of_what_is_at_an_index_of_variables(index, rank):
    k, part, at = Var("k", "value"), Var("part", "value"), Var("at", "value")
    eqns = [
        Eqn((k,), "len", (Var("values", "list"),)),
        Eqn((part,), "slice", (Literal(None), k, Literal(None))),
        Eqn((at,), "tuple", index),
        Eqn((R,), "getitem", (X,), (("index", at),)),
    ]
    assert rank_of(types_of(eqns, KNOWN)[R]) == rank


@pytest.mark.parametrize(("op", "rank"), [("vstack", 2), ("hstack", 1), ("stack", 2), ("concatenate", 1)])
def test_axes_of_what_is_joined(op, rank):
    parts = Var("parts", "list")
    found = types_of([Eqn((parts,), "list", (Y, Y)), Eqn((R,), op, (parts,))], KNOWN)
    assert rank_of(found[R]) == rank


def test_what_is_chosen_by_the_number_of_axes_is_decided():
    text = function("r = np.matmul(x, y)", params="x, y").replace(
        "lambda grad: (None, None)", "lambda grad: (grad @ y.T, x.T @ grad)"
    )
    assert asks_ranks(compiled(text).formula)
    assert not asks_ranks(compiled(function("r = x * 2")).formula)
    known = compiled(text, order=2, ranks={"x": 2, "y": 2})
    assert known.limits == ()
    assert known.derivative is not None
    assert known.derivative.general is not None
