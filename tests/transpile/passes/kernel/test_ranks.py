import pytest

from pullback.transpile.ir import Eqn, Literal, Var
from pullback.transpile.passes.kernel.ranks import asks, ranks_of

from ...emitting import compiled, function

X, Y, R = Var("x"), Var("y"), Var("r")


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
        ("opaque", (X,), {}, None),
    ],
)
def test_number_of_axes(op, args, kwargs, expected):
    eqn = Eqn((R,), op, args, tuple((key, Literal(value)) for key, value in kwargs.items()))
    assert ranks_of([eqn], {X: 3, Y: 1}).get(R) == expected


def test_what_is_chosen_by_the_number_of_axes_is_decided():
    text = function("r = np.matmul(x, y)", params="x, y").replace(
        "lambda grad: (None, None)", "lambda grad: (grad @ y.T, x.T @ grad)"
    )
    assert asks(compiled(text).formula)
    assert not asks(compiled(function("r = x * 2")).formula)
    known = compiled(text, order=2, ranks={"x": 2, "y": 2})
    assert known.limits == ()
    assert known.derivative is not None
    assert known.derivative.general is not None
