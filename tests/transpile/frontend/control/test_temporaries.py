"""Tuples assigned to parts of arrays: a view on the right shows what the targets before it wrote."""

import numpy as np
import pytest

import pullback as pb

from ..reading import module, text

MATRIX = np.random.default_rng(0).standard_normal((4, 3))


def rows_swapped(x):
    y = x * 1.0
    y[0], y[1] = y[1], y[0]
    return y * x


def columns_swapped(x):
    y = x.copy()
    y[..., 0], y[..., 1] = y[..., 1], y[..., 0]
    return y * x


def parts_shifted(x):
    y = x.copy()
    y[1:], y[:-1] = y[:-1], y[1:]
    return y * x


def named_places(x, k: int = 0, p: int = 2):
    y = x.copy()
    y[k], y[p] = y[p], y[k]
    return y * x


def rotated(x):
    y = x.copy()
    y[0], y[1], y[2] = y[1], y[2], y[0]
    return y * x


def sorted_by_bubbles(x):
    y = x.copy()
    for i in range(len(y)):
        for j in range(len(y) - 1 - i):
            if np.sum(y[j]) > np.sum(y[j + 1]):
                y[j], y[j + 1] = y[j + 1], y[j]
    return y * x


def a_name_beside_a_part(x):
    y = x.copy()
    y[0], z = x[1], y[0]
    return y + z * z


def a_tuple_in_a_tuple(x):
    y = x.copy()
    (y[0], y[1]), z = (y[1], y[0]), y[0] * 2.0
    return y * z


def copies_swapped(x):
    y = x.copy()
    y[0], y[1] = y[1].copy(), y[0].copy()
    return y * x


FUNCTIONS = (
    *(rows_swapped, columns_swapped, parts_shifted, named_places, rotated, sorted_by_bubbles),
    *(a_name_beside_a_part, a_tuple_in_a_tuple, copies_swapped),
)


@pytest.mark.parametrize("x", [MATRIX, MATRIX[:, 0]], ids=["rows", "entries"])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda each: each.__name__)
def test_a_part_is_what_numpy_reads(engine, function, x):
    formula = pb.derive_pullback(function)
    np.testing.assert_allclose(formula(x), function(x.copy()), rtol=1e-14)
    assert pb.gradcheck(formula, x, order=2)


@pytest.mark.compiler
@pytest.mark.parametrize("x", [MATRIX, MATRIX[:, 0]], ids=["rows", "entries"])
@pytest.mark.parametrize("function", [rows_swapped, sorted_by_bubbles], ids=lambda each: each.__name__)
def test_it_is_compiled(function, x):
    compiled = pb.compile(function)
    np.testing.assert_allclose(compiled(x), function(x.copy()), rtol=1e-14)
    assert compiled.limits() == ()


@pytest.mark.parametrize(
    ("assignment", "message"),
    [
        ("y[0], z = 1.0, y", "`y` is also named `value 2 of y[0], z`"),
        ("y[0], z = 1.0, y.T", "`value 2 of y[0], z` is a view of `y`, which was changed in place since"),
        ("y[0], y[1] = y[1][::-1], y[0][::-1]", "`value 2 of y[0], y[1]` is a view of `y`"),
    ],
)
def test_other_views_are_refused(assignment, message):
    (found,) = module(text("y = x * 1.0", "z = x", assignment, "r = y + z")).diagnostics
    assert found.code == "PB301"
    assert message in found.message
