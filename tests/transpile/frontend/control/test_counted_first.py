"""`while` loops on numbers, whose iterations are counted first, and on elements of tensors."""

import numpy as np
import pytest

import pullback as pb
from tests.constructs.columns import _no_python_forward
from tests.sampling import sampled

from ..reading import findings

X = np.array([0.9, 1.2, 0.4, 0.7])


def to_a_float(x, *, top: float = 2.5):
    k, total = 0, x * 0
    while k < top:
        total = total + x ** (k + 1)
        k += 1
    return total * k


def down_to_a_float(x, *, low: float = -1.5):
    k = 4
    while k >= low:
        x = x + 0.1 * x**2
        k -= 2
    return x * k


def by_steps_of_time(x, *, dt: float = 0.1, end: float = 0.55):
    t = 0.0
    while t < end:
        h = min(dt, end - t)
        x = x + h * np.sin(x)
        t += h
    return x


def by_doubling(x, *, n: int = 20):
    h, total = 1, 0.0
    while h < n:
        total = total + x * h
        h *= 2
    return total


def by_squaring(x, *, n: int = 13):
    power = np.ones_like(x)
    while n:
        if n % 2:
            power = power * x
        x = x * x
        n //= 2
    return power


def greatest_divisor(x, *, n: int = 48, m: int = 18):
    while m:
        n, m = m, n % m
    return x * n


def of_two_ends(x):
    low, high, total = 0, len(x) - 1, 0.0
    while low < high:
        total += x[low] * x[high] ** 2
        low += 1
        high -= 1
    return total


def until_numbers_agree(x, *, a: float = 2.0, tol: float = 1e-8):
    root = a
    while abs(root * root - a) > tol:
        root = 0.5 * (root + a / root)
    return x * root


def with_a_way_out(x, *, n: int = 27):
    while True:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        if n % 5 == 0:
            continue
        x = np.sin(x) + 0.01 * n / 27
        if n < 30:
            return x
        if n > 3000:
            break
    return -x


def with_a_way_out_of_elements(x, *, n: int = 40):
    k = 1
    while k < n:
        k *= 2
        if np.sum(x) > 20.0:
            break
        x = x * 1.5
    return x * k


def of_shrinking_arrays(x):
    while x.shape[0] > 1:
        x = x[::2] * x[1::2]
    return x[0]


def with_a_function(x, *, n: int = 3):
    k = 0

    def more():
        return 1.5 * k < n

    while more():
        k += 1
        x = x**2
    return x


def in_each_other(x, *, n: int = 4):
    found = []
    while n > 0:
        parts, j = [], n
        while j > 0:
            parts.append(x[0] ** j)
            j //= 2
        found.append(sum(parts))
        n -= 1.5
    return np.array(found)


def with_a_list(x, *, n: int = 4):
    found, k = [], 1
    while len(found) < n:
        found.append(x[1] ** k)
        k *= 2
    return np.array(found)


def with_a_break_in_another_loop(x, *, n: int = 4):
    total = x * 0
    for i in range(n):
        j = 0
        while j < 3:
            if j == 2:
                break
            total = total + x * j
            j += 1
        if i == 1:
            continue
        total = total + x**2
    return total


def never(x):
    while False:
        x = x + 1
    return x * 2


def until_small(x):
    y, k = x, 0
    while np.max(y) > 0.1:
        y = y / 2
        k += 1
    return y * k


def until_a_way_out(x):
    k = 0
    while True:
        x = np.sin(x)
        k += 1
        if np.sum(x) < 1.5:
            return x * k


def with_a_continue_by_an_element(x):
    i, total = 0, 0.0
    while i < 3.5:
        if x[i] < 1:
            i += 2
            continue
        total = total + x[i] ** 2
        i += 1
    return total + x[0]


def with_a_flag(x):
    going = True
    while going:
        x = x / 2
        if np.max(x) < 1:
            going = False
    return x


def by_steps_that_elements_choose(x, *, end: float = 1.0):
    t, h = 0.0, 0.5
    while t < end:
        h = min(h, end - t)
        error = h**2 * np.max(np.abs(x))
        if error < 0.1:
            x = x + h * np.sin(x)
            t += h
            h *= 1.5
        else:
            h *= 0.5
    return x


def with_a_return_in_a_loop_inside(x, *, n: int = 9):
    while n > 0:
        for i in range(n):
            if i > 2:
                return x * n
        n //= 2
    return x


PROGRAMS = (
    to_a_float,
    down_to_a_float,
    by_steps_of_time,
    by_doubling,
    by_squaring,
    greatest_divisor,
    of_two_ends,
    until_numbers_agree,
    with_a_way_out,
    with_a_way_out_of_elements,
    of_shrinking_arrays,
    with_a_function,
    in_each_other,
    with_a_list,
    with_a_break_in_another_loop,
    never,
    until_small,
    until_a_way_out,
    with_a_continue_by_an_element,
    with_a_flag,
    by_steps_that_elements_choose,
    with_a_return_in_a_loop_inside,
)
COMPILED = (
    by_steps_of_time,
    by_squaring,
    of_two_ends,
    with_a_way_out,
    until_small,
    until_a_way_out,
    with_a_continue_by_an_element,
    with_a_flag,
    by_steps_that_elements_choose,
)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda each: each.__name__)
def test_it_computes_what_python_does_and_has_derivatives(engine, program):
    formula = pb.derive_pullback(program)
    np.testing.assert_allclose(formula(X), program(X.copy()), rtol=1e-14)
    assert pb.gradcheck(formula, X, order=2)


@pytest.mark.compiler
@pytest.mark.parametrize("program", sampled(COMPILED, 2))
def test_it_is_compiled(program):
    fast = pb.compile(program)
    with _no_python_forward():
        np.testing.assert_allclose(fast(X), program(X.copy()), rtol=1e-14)
    assert pb.gradcheck(fast, X, order=2)


def test_a_loop_that_never_ends_is_refused():
    found = findings("""
    @pb.formula
    def f(x, *, n: int):
        while True:
            n += 1
        return x, lambda g: g
    """)
    assert [(code, line) for code, line, *_ in found] == [("PB401", 3)]
