"""`while` loops that count, as loops over a range."""

import numpy as np
import pytest

import pullback as pb

X = np.array([0.9, 1.2, 0.4, 0.7])


def upwards(x):
    i, out = 1, x * 1.0
    while i < len(out):
        out[i] += out[i - 1]
        i += 1
    return out * i


def downwards_by_two(x):
    i = len(x) - 1
    out = np.zeros(len(x))
    while i >= 0:
        out[i] = x[i] ** 2 + i
        i -= 2
    return out + i


def with_another_condition(x):
    i, s = 0, 0.0
    while i < len(x) and s < 1.5:
        s += x[i]
        i += 1
    return s * (i + 1)


def with_ways_out(x):
    k, t, s = 1, x, x * 0
    while k <= 5:
        t = t * x / k
        k += 1
        if k == 2:
            continue
        s = s + t
        if k == 4:
            break
    return s * k


def with_a_return(x):
    i = 0
    while i < len(x):
        if x[i] > 1.0:
            return x[i] * 2
        i += 1
    return np.sum(x)


def in_each_other(x):
    i, total = 0, 0.0
    while i < len(x):
        j = i
        while j < len(x):
            total += x[i] * x[j]
            j += 1
        i += 1
    return total


def by_frames(x, *, size: int = 2):
    start, parts = 0, []
    while start + size <= len(x):
        parts.append(np.sum(x[start : start + size] ** 2))
        start += 1
    return np.array(parts)


def never(x):
    i, y = 7, x
    while i < len(x):
        y = y * 2.0
        i += 1
    return y * i


PROGRAMS = (
    upwards,
    downwards_by_two,
    with_another_condition,
    with_ways_out,
    with_a_return,
    in_each_other,
    by_frames,
    never,
)
of_programs = pytest.mark.parametrize("program", PROGRAMS, ids=lambda each: each.__name__)


@of_programs
def test_it_computes_what_python_does_and_has_derivatives(engine, program):
    formula = pb.derive_pullback(program)
    np.testing.assert_allclose(formula(X), program(X.copy()), rtol=1e-14)
    assert pb.gradcheck(formula, X, order=2)


@pytest.mark.compiler
@pytest.mark.parametrize(
    "program", [downwards_by_two, with_another_condition, by_frames], ids=lambda f: f.__name__
)
def test_it_is_compiled(program):
    fast = pb.compile(program)
    np.testing.assert_allclose(fast(X), program(X.copy()), rtol=1e-14)
    assert pb.gradcheck(fast, X, order=2)
