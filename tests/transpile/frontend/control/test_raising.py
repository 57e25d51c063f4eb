"""What a formula raises is the author's exception, at the author's line."""

import traceback
from pathlib import Path

import numpy as np
import pytest

import pullback as pb

from ..reading import equations, findings, formula


class Refused(Exception):
    """An exception of the author's own."""


@pb.formula
def checked(x, *, n: int, kind: str = "sin"):
    if n < 0:
        raise Refused("n is negative", n)
    if kind not in ("sin", "exp"):
        raise ValueError(f"{kind!r:>8} of shape {x.shape} {{n = {n:03d}}}")
    y = np.sin(x) if kind == "sin" else np.exp(x)

    def checked_pullback(grad):
        if n > 3:
            raise Refused
        return grad * np.cos(x) if kind == "sin" else grad * y

    return y, checked_pullback


X = np.linspace(0.1, 1.0, 3)


def line_of(text):
    """The line of this file on which a text stands."""
    lines = Path(__file__).read_text(encoding="utf-8").splitlines(keepends=True)
    return next(number for number, line in enumerate(lines, start=1) if text in line)


def test_the_exception_is_the_author_s(engine):
    with pytest.raises(Refused) as error:
        checked(pb.tensor(X), n=-2)
    assert error.value.args == ("n is negative", -2)
    assert traceback.extract_tb(error.value.__traceback__)[-1].lineno == line_of("raise Refused(")


def test_the_message_is_formatted_as_python_does(engine):
    with pytest.raises(ValueError) as error:
        checked(pb.tensor(X), n=2, kind="cos")
    assert str(error.value) == "   'cos' of shape (3,) {n = 002}"


@pytest.mark.parametrize("create_graph", [False, True])
def test_a_closure_raises_when_it_runs(engine, create_graph):
    x = pb.tensor(X, requires_grad=True)
    y = checked(x, n=4)
    with pytest.raises(Refused) as error:
        pb.grad(np.sum(y), [x], create_graph=create_graph)
    assert traceback.extract_tb(error.value.__traceback__)[-1].lineno == line_of("raise Refused\n")


def test_a_check_that_passes_leaves_every_derivative(engine):
    assert pb.gradcheck(lambda x: checked(x, n=1), X, order=3)
    assert pb.gradcheck(lambda x: checked(x, n=3, kind="exp"), X, order=3)


def test_a_check_is_a_conditional_without_outputs():
    read = formula("""
    @pb.formula
    def f(x, *, n=1):
        if n > 2:
            y = x
        else:
            raise ValueError("small", n)
        return y, lambda g: g
    """)
    assert equations(read) == [
        "_1 = greater(n, 2)",
        "_2 = not_(_1)",
        " = if(_2)",
        "   = raise('small', n, exception='ValueError')",
        "  -> ",
        "  -> ",
    ]


@pytest.mark.parametrize(
    ("statement", "code"),
    [
        ("raise", "PB401"),
        ("raise ValueError('no') from None", None),
        ("raise ValueError('no') from x", "PB401"),
        ("raise x", "PB401"),
        ("raise 'no'", "PB401"),
        ("raise ValueError(x)", "PB402"),
        ("raise ValueError(f'{x}')", "PB402"),
        ("raise ValueError(text='no')", "PB404"),
    ],
)
def test_what_is_refused_stands_in_its_line(statement, code):
    text = (
        f"@pb.formula\ndef f(x, *, n=1):\n    if n:\n        {statement}\n    return x * 2, lambda g: 2 * g\n"
    )
    found = findings(text)
    assert [(found_code, line) for found_code, line, _, _ in found] == ([(code, 4)] if code else [])


def test_a_formula_that_always_raises():
    text = "@pb.formula\ndef f(x):\n    raise ValueError('no')\n    return x, lambda g: g\n"
    assert findings(text) == [("PB405", 3, 5, "")]
