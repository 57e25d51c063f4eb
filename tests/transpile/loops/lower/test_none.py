"""None where a kernel needs a number or an array: refused, at the place where it is used."""

import numpy as np
import pytest

import pullback as pb
from pullback.transpile.diagnostics import FormulaError
from pullback.transpile.library import standard_library
from pullback.transpile.loops.kernels.formula_kernels import formula_kernels


def added(x, *, n: int):
    t = None
    if n > 2:
        t = x * 2
    return x + t


def added_by_data(x, *, n: int):
    t = None
    if x[0] > n:
        t = x * 2
    return x + t


def number_by_data(x, *, n: int):
    t = None
    if x[0] > n:
        t = 2
    return x * t


def summed_from_a_helper(x, *, n: int):
    def doubled(v):
        if v[0] > n:
            return v * 2

    return np.sum(doubled(x))


def in_a_loop(x, *, n: int):
    t, total = None, x * 0.0
    if x[0] > n:
        t = x * 2
    for _ in range(n):
        total = total + t
    return total


def written_by_data(x, *, n: int):
    t, v = None, x * 1.0
    if x[0] > n:
        t = x[0] * 2
    v[1] = t
    return v


def written(x, *, n: int):
    v = x * 1.0
    v[0] = None
    return v


def left_out(x, *, n: int):
    if x[0] > n:
        return x * 2


def asked(x, *, n: int):
    t, v = None, x * 3
    if x[0] > n:
        t = x * 2
    if x[0] > n:
        v = v + t
    return v


def kernels_of(function):
    return formula_kernels(pb.derive_pullback(function).ir, standard_library(), {"n": 1}, 0)


@pytest.mark.parametrize(
    ("function", "line", "message"),
    [
        (added, 4, "add of `None` is not compiled"),
        (added_by_data, 4, "`t` may be None here"),
        (number_by_data, 4, "`t` may be None here"),
        (summed_from_a_helper, 5, "may be None here"),
        (in_a_loop, 5, "`t` may be None here"),
        (written_by_data, 4, "`t` may be None here"),
        (written, 2, "`None` is no element of an array"),
        (left_out, 0, "may be None, which is not compiled"),
    ],
)
def test_none_is_refused_where_it_is_used(function, line, message):
    with pytest.raises(FormulaError) as refused:
        kernels_of(function)
    first = refused.value.diagnostics[0]
    assert message in first.message
    assert first.span.line == function.__code__.co_firstlineno + line


def test_what_a_condition_guards_is_compiled():
    assert kernels_of(asked).forward.outputs
