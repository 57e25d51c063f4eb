"""Arrays that iterations of a loop exchange, and those that share memory from one iteration to the next."""

import textwrap

import numpy as np
import pytest

import pullback as pb

from ..reading import findings

X = np.array([0.3, -0.7, 1.2, 0.5, -0.4])


def rotated(x):
    a, b, c = x * 1.0, x * 2.0, x * 3.0
    for i in range(len(x)):
        c[1:] = a[1:] - b[:-1] * 0.1 + x[i]
        a, b, c = b, c, a
    a[0] = b[1] * c[2]
    return a + b * 2 + c * 3


def exchanged_by_a_name(x):
    new, old = x.copy(), x.copy()
    for _ in range(len(x)):
        new[1:-1] = old[1:-1] + 0.1 * (old[2:] - old[:-2])
        last = old
        old = new
        new = last
    return old + 2 * new


def exchanged_in_a_branch(x):
    a, b = x * 1.0, x * 2.0
    for i in range(len(x)):
        b[1] = x[i] + a[0]
        if x[i] > 0:
            a, b = b, a
    b[0] = 1.0
    return a - b * 2


def exchanged_until_an_element_is_small(x):
    new, old, k = x.copy(), x.copy(), 0
    while np.max(np.abs(old)) > 0.5 and k < 9:
        new[1:] = 0.8 * old[1:] + 0.1 * old[:-1]
        new[0] = 0.9 * old[0]
        old, new = new, old
        k += 1
    return old


def exchanged_around_a_loop(x):
    last, row = np.zeros(len(x) + 1), np.zeros(len(x) + 1)
    for i in range(len(x)):
        for j in range(len(x)):
            row[j + 1] = 0.5 * last[j] + x[i] * x[j] + 0.3 * row[j]
        last, row = row, last
    return last


EXCHANGED = (rotated, exchanged_by_a_name, exchanged_in_a_branch, exchanged_until_an_element_is_small)


@pytest.mark.parametrize("engine", ["reference", "native"])
@pytest.mark.parametrize("function", [*EXCHANGED, exchanged_around_a_loop])
def test_arrays_are_exchanged(engine, function):
    with pb.use_engine(engine):
        made = pb.derive_pullback(function)
        np.testing.assert_allclose(made(X), function(X.copy()))
        pb.gradcheck(made, pb.tensor(X, requires_grad=True), order=2)


SHARED = {
    "views of one array": """
        a, b, out = np.zeros(3), np.zeros(3), 0.0
        for i in range(n):
            a[1] = 5.0
            out = out + b
            t = x * i
            a = t[:3]
            b = t[1:4]
    """,
    "an array with another name": """
        a, b, out = np.zeros(3), np.ones(3), 0.0
        c = a
        for i in range(n):
            b[1] = 5.0
            a, b = b, a
        out = c
    """,
    "an array that an iteration before has left": """
        a, b, c, out = np.zeros(3), np.ones(3), np.zeros(3), 0.0
        for i in range(n):
            b[1] = 5.0
            out = out + c
            c = a
            a, b = b, a
    """,
    "arrays that a list holds since two iterations": """
        a, b, c, held = x * 1.0, x * 2.0, x * 3.0, []
        for i in range(n):
            held.append(a)
            b[1] = x[0]
            a, b, c = b, c, a
        out = sum(held)
    """,
    "one of them, which a branch makes the other": """
        a, b, out = x * 1.0, x * 2.0, 0.0
        for i in range(n):
            b[1] = x[i]
            out = out + a
            if x[i] > 0:
                a = b
    """,
    "an array of the caller": """
        p, q = x * 1.0, x * 2.0
        def step(a, b):
            for i in range(n):
                b[1] = x[i]
                a, b = b, a
            return a
        out = step(p, q) + p
    """,
}


@pytest.mark.parametrize("name", SHARED)
def test_arrays_that_share_memory_are_not_written_to(name):
    body = textwrap.indent(textwrap.dedent(SHARED[name]), "    ")
    text = f"@pb.formula\ndef f(x, *, n: int = 3):{body}    return out, lambda grad: None\n"
    assert findings(text, "PB301")
