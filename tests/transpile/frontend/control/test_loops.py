"""Loops of a length that is known only when the formula runs."""

import numpy as np
import pytest

import pullback as pb
from pullback.transpile.diagnostics import FormulaError
from pullback.transpile.library import formula_in


@pb.formula
def horner(x, w, *, n: int):
    """t = s t + w, n times, with s = sin(x); the closure reads the collected terms."""
    s = np.sin(x)
    total = np.zeros_like(s)
    terms = []
    for _ in range(n):
        t = s * total + w
        terms.append(t)
        total = t

    def horner_pullback(grad):
        to_s = np.zeros_like(grad)
        to_w = np.zeros_like(grad)
        g = grad
        for k in reversed(range(n)):
            to_w = to_w + g
            to_s = to_s + g * (terms[k - 1] if k > 0 else 0)
            g = g * s
        return to_s * np.cos(x), to_w

    return total, horner_pullback


@pb.derive_pullback
def newton(a, *, steps: int = 4):
    y = a
    for _ in range(steps):
        y = 0.5 * (y + a / y)
    return y


@pb.derive_pullback
def over_rows(x, y):
    total = 0.0
    for row in x:
        total = total + np.tanh(row * total) * y + row
    return total


@pb.derive_pullback
def over_a_list(xs: list[pb.Tensor], y):
    product = np.ones_like(y)
    for x in xs:
        product = product * np.sin(x * y)
    return product


@pb.derive_pullback
def nested(x, *, n: int, m: int):
    for _ in range(n):
        for _ in range(m):
            x = np.sin(x) + 0.1 * x
    return x


@pb.derive_pullback
def from_to(x, *, n: int):
    r = x
    for k in range(1, n, 2):
        r = r + np.sin(k * r)
    return r


RNG = np.random.default_rng(0)
CASES = {
    "horner": (lambda x, w: horner(x, w, n=4), RNG.standard_normal(3), RNG.standard_normal(3)),
    "no turns": (lambda x, w: horner(x, w, n=0) + x + w, RNG.standard_normal(3), RNG.standard_normal(3)),
    "newton": (lambda a: newton(a, steps=3), RNG.uniform(1, 2, 3)),
    "rows": (over_rows, RNG.standard_normal((3, 2)), RNG.standard_normal(2)),
    "list": (lambda a, b, y: over_a_list([a, b], y), *(RNG.standard_normal(3) for _ in range(3))),
    "nested": (lambda x: nested(x, n=2, m=2), RNG.standard_normal(2)),
    "from to": (lambda x: from_to(x, n=6), RNG.standard_normal(2)),
}


@pytest.mark.parametrize("name", CASES)
def test_derivatives_to_third_order(engine, name):
    function, *inputs = CASES[name]
    assert pb.gradcheck(function, *inputs, order=3)


def test_a_loop_s_value_is_what_python_computes():
    x = np.linspace(0.1, 1.0, 4)
    expected = x
    for k in range(1, 6, 2):
        expected = expected + np.sin(k * expected)
    np.testing.assert_array_equal(from_to(x, n=6), expected)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("for k in range(n):\n        if k:\n            t = x\n    return t", "PB407"),
        (
            "ts = []\n    us = ts\n    for k in range(n):\n        if k > 1:\n"
            "            ts.append(x)\n    return us[0]",
            "PB301",
        ),
        (
            "ts = []\n    if n > 1:\n        ts.append(x)\n    for t in ts:\n"
            "        ts.append(t)\n    return ts[0]",
            "PB301",
        ),
        (
            "ts = []\n    if n > 1:\n        ts.append((x, x))\n    return ts[0]",
            "PB401",
        ),
        # What an iteration leaves as a view is what the next one writes to.
        ("t = x * 2\n    for k in range(n):\n        t[0] = 1.0\n        t = x[1:]\n    return t", "PB301"),
        (
            "t, u = x * 2, x * 3\n    for k in range(n):\n        t[0] = 1.0\n        t = u[1:]\n"
            "    return t * u",
            "PB301",
        ),
        ("for k in 3.5:\n        x = x\n    return x", "PB401"),
    ],
)
def test_what_a_loop_may_not_do(body, code):
    with pytest.raises(FormulaError) as error:
        formula_in(f"def f(x, *, n: int):\n    {body}\n")
    assert code in {found.code for found in error.value.diagnostics}


def test_a_list_that_grows_backwards_is_in_the_order_of_its_turns():
    @pb.derive_pullback
    def numbered(x, *, n: int):
        found, last = [], []
        for k in reversed(range(n)):
            t = x * k
            found.append(t)
            last.append(k)
        return np.stack(found) + t * last[0]

    x = np.linspace(0.5, 1.5, 3)
    np.testing.assert_array_equal(numbered(x, n=3), numbered.__wrapped__(x, n=3))


def shadowed_by_numbers(x, *, n: int):
    k = 7
    for i in range(n):
        for k in range(i):
            x = x + k
    return x * k


def shadowed_by_items(x, *, n: int):
    row = 3.0
    for row in x:
        x = x * row
    return x * row


def shadowed_by_another_loop(x, *, n: int):
    for k in range(n):
        x = x * 2 + k
    for k in range(2 * n + 1):
        x = x + k
    return x * k


def shadowed_in_a_branch(x, *, n: int):
    if n > 2:
        for k in range(3):
            x = x + k
    for k in range(n + 1):
        x = x * 0.5 - k
    return x * k


@pytest.mark.parametrize(
    "function",
    [shadowed_by_numbers, shadowed_by_items, shadowed_by_another_loop, shadowed_in_a_branch],
    ids=lambda function: function.__name__,
)
@pytest.mark.parametrize("n", [0, 4])
def test_a_loop_leaves_its_last_item_in_a_name_that_held_a_value(function, n):
    x = np.linspace(0.5, 1.5, 3)
    np.testing.assert_array_equal(pb.derive_pullback(function)(x, n=n), function(x, n=n))


def counted_from_one(x):
    total = 0.0
    for k, value in enumerate(x, start=1):
        total = total * k + value
    return total


def counted_from_a_name_that_changes(x):
    total, k = 0.0, 3
    for place, value in enumerate(x, k):
        k = 5
        total = total * place + value * k
    return total


def known_counted_from_two(x):
    total = 0.0
    for k, value in enumerate([x, 2 * x], 2):
        total = total * k + value
    return total


def backwards_beside_forwards(x):
    total = 0.0
    for value, other in zip(reversed(x), x[1:], strict=False):
        total = total * other + value
    return total


def strict_of_known(x):
    total = 0.0
    for value, other in zip([x, 2 * x], [x, 3 * x], strict=True):
        total = total * other + value
    return total


@pytest.mark.parametrize(
    "function",
    [
        counted_from_one,
        counted_from_a_name_that_changes,
        known_counted_from_two,
        backwards_beside_forwards,
        strict_of_known,
    ],
    ids=lambda function: function.__name__,
)
def test_enumerate_and_zip_count_as_python_does(function):
    x = np.linspace(0.5, 1.5, 3)
    np.testing.assert_array_equal(pb.derive_pullback(function)(x), function(x))


def strict_of_arrays(x, y):
    total = 0.0
    for value, other in zip(x, y, strict=True):
        total = total * other + value
    return total


def test_a_strict_zip_raises_where_lengths_differ():
    formula, x = pb.derive_pullback(strict_of_arrays), np.linspace(0.5, 1.5, 3)
    np.testing.assert_array_equal(formula(x, x), strict_of_arrays(x, x))
    with pytest.raises(ValueError, match="different lengths"):
        formula(x, x[:2])
    with pytest.raises(FormulaError, match="strict"):
        formula_in(
            "def f(x, y):\n    for a, b in zip([x, x], [y], strict=True):\n        x = a * b\n    return x\n"
        )
