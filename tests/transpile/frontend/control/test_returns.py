"""A return that ends a loop, and closures that go with a return."""

import numpy as np
import pytest

import pullback as pb


@pb.derive_pullback
def until_small(x, *, n: int, tol: float):
    y = x
    for k in range(n):
        step = 0.5 * np.sin(y)
        y = y - step
        if np.max(np.abs(step)) < tol:
            return y * y, step * (k + 1)
    return y, x


@pb.derive_pullback
def two_ways_out(x, *, n: int, first: int, second: int):
    for k in range(n):
        x = np.sin(x) + 0.1
        if k == first:
            return x
        x = x * x
        if k == second:
            return x * 2
    return x + 1


@pb.derive_pullback
def from_the_last(xs: list[pb.Tensor], y, *, stop: int):
    for k in reversed(range(3)):
        for x in reversed(xs):
            y = y * np.cos(x)
            if k == stop:
                return y
    return y + 1


@pb.derive_pullback
def always_in_the_first_turn(x, *, n: int):
    for k in range(n):
        return np.sin(x) * (k + 2)
    return x * x


@pb.derive_pullback
def inner_loop(x, *, n: int, m: int):
    for j in range(n):
        for k in range(m):
            if j * m + k == 3:
                return np.sin(x)
            x = x * x
        x = np.cos(x)
    return x


@pb.derive_pullback
def found_by_the_inner_loop(x, *, limit: float):
    for i in range(len(x)):
        for b in x[i:]:
            c = np.sin(x[i] * b)
            if c > limit:
                found = c * b
                return found * x + i
    return x


X = np.linspace(0.2, 0.9, 4)
CASES = {
    "by a tensor": (lambda x: until_small(x, n=9, tol=0.05), X),
    "never": (lambda x: until_small(x, n=2, tol=0.0), X),
    "first": (lambda x: two_ways_out(x, n=4, first=2, second=9), X),
    "second": (lambda x: two_ways_out(x, n=4, first=9, second=1), X),
    "neither": (lambda x: two_ways_out(x, n=3, first=9, second=9), X),
    "no turn": (lambda x: two_ways_out(x, n=0, first=0, second=0), X),
    "backwards": (lambda a, b, y: from_the_last([a, b], y, stop=1), X, X + 1, X - 1),
    "backwards to the end": (lambda a, b, y: from_the_last([a, b], y, stop=7), X, X + 1, X - 1),
    "at once": (lambda x: always_in_the_first_turn(x, n=3), X),
    "not at all": (lambda x: always_in_the_first_turn(x, n=0), X),
    "inner": (lambda x: inner_loop(x, n=3, m=2), X),
    "inner, not met": (lambda x: inner_loop(x, n=1, m=2), X),
    "found inside": (lambda x: found_by_the_inner_loop(x, limit=0.1), X),
    "found nowhere": (lambda x: found_by_the_inner_loop(x, limit=2.0), X),
}
FUNCTIONS = [
    until_small,
    two_ways_out,
    from_the_last,
    always_in_the_first_turn,
    inner_loop,
    found_by_the_inner_loop,
]


@pytest.mark.parametrize("name", CASES)
def test_derivatives_to_third_order(engine, name):
    function, *inputs = CASES[name]
    assert pb.gradcheck(function, *inputs, order=3)


@pytest.mark.parametrize("name", CASES)
def test_the_value_is_what_python_computes(name, monkeypatch):
    function, *inputs = CASES[name]
    actual = function(*inputs)
    for formula in FUNCTIONS:
        monkeypatch.setitem(globals(), formula.__name__, formula.__wrapped__)
    np.testing.assert_array_equal(actual, function(*inputs))


def test_the_turns_after_a_return_do_not_run():
    rows = np.ones((2, 3))

    @pb.derive_pullback
    def first_rows(x, *, n: int):
        y = x[0]
        for k in range(n):
            if k == x.shape[0]:
                return y
            y = y * x[k]
        return y + 1

    np.testing.assert_array_equal(first_rows(rows, n=9), np.ones(3))


def with_a_literal_range(x):
    for k in range(3, 43, 2):
        if np.max(x) < 0.1:
            break
        x = np.sin(x) * (0.5 + 0.01 * k)
    return x


def test_a_long_literal_range_with_a_way_out_stays_a_loop(engine):
    formula = pb.derive_pullback(with_a_literal_range)
    assert sum(eqn.op == "sin" for eqn in formula.ir.forward.every()) == 1
    np.testing.assert_allclose(formula(X), with_a_literal_range(X.copy()), rtol=1e-14)
    assert pb.gradcheck(formula, X, order=2)
