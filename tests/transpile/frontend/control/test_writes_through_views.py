"""Writes through views of an array, and entries that are numbers and no views."""

import numpy as np
import pytest

import pullback as pb

from ..reading import findings, text

X = np.random.default_rng(0).standard_normal((4, 3))


def through_a_row(x):
    a = x * 1.0
    row = a[1]
    row[:] = row * 2.0
    return a * x * row


def through_a_view_of_a_view(x):
    a = np.sin(x)
    top = a[1:, :]
    left = top[:, 0]
    left *= 3.0
    left[0] = np.sum(x)
    return a * np.sum(top) * left[0]


def through_rows_in_turn(x):
    a = x * 1.0
    for i in range(len(a)):
        row = a[i]
        row[:] = row / np.sqrt(np.sum(row**2))
        if i > 0:
            row[1:] += 0.5 * a[i - 1, :-1]
    return a


def through_elements_of_rows(x):
    a = np.zeros((4, 3))
    for i in range(4):
        row = a[i]
        for j in range(3):
            row[j] = x[i, j] * (row[j - 1] if j > 0 else 1.0)
    return a


def through_columns_while_counting(x):
    a, k = x * 1.0, 0
    while k < 3:
        column = a[:, k]
        column -= np.mean(column)
        k += 1
        if k == 2:
            continue
        column[0] = np.sum(x)
    return a


def through_a_view_in_a_branch(x):
    a = x * 1.0
    inner = a[1:-1]
    inner += x[:-2] * x[2:]
    if np.sum(x) < 100:
        inner[0] = 5.0 * x[0]
    return a


def through_a_row_of_a_matrix_that_was_made(x):
    a, k = np.zeros((4, 3)), 1
    a[:] = x
    row = a[k]
    row += np.sum(x)
    row *= x[0]
    return a


def through_what_an_array_was(x):
    a = x * 1.0
    row = a[0]
    a = a * 2.0
    row[0] = 7.0
    return a * row


THROUGH_VIEWS = (
    *(through_a_row, through_a_view_of_a_view, through_rows_in_turn, through_elements_of_rows),
    *(through_columns_while_counting, through_a_view_in_a_branch, through_what_an_array_was),
    through_a_row_of_a_matrix_that_was_made,
)


@pytest.mark.parametrize("function", THROUGH_VIEWS, ids=lambda each: each.__name__)
def test_a_write_through_a_view_is_one_into_its_array(engine, function):
    formula = pb.derive_pullback(function)
    np.testing.assert_allclose(formula(X), function(X.copy()), rtol=1e-14)
    assert pb.gradcheck(formula, X, order=2)


@pytest.mark.parametrize(
    "statements",
    [
        ("a = x * 1.0", "v, w = a[0], a[0]", "v[0] = 2.0", "r = w"),
        ("a = x * 1.0", "b = a", "v = a[0]", "v[0] = 2.0", "r = b"),
        ("a = x * 1.0", "for row in a:", "    row[0] = 2.0", "r = a"),
        ("a = x * 1.0", "v = a[0]", "for k in range(n):", "    v[k] = 2.0", "r = a"),
        ("v = x[0]", "v[0] = 2.0", "r = x"),
    ],
)
def test_a_view_that_more_is_known_of_elsewhere_is_not_written_through(statements):
    assert [code for code, *_ in findings(text(*statements))] == ["PB301"]


def swapped(x):
    a = np.zeros(len(x))
    for i in range(len(x)):
        a[i] = x[i] * x[i]
    for i in range(len(x) - 1):
        kept = a[i]
        a[i] = a[i + 1] * x[i]
        a[i + 1] = kept
    return a


def best_of_a_table(x):
    table, best = np.zeros((4, 3)), 0.0
    for i in range(3):
        for j in range(2):
            table[i + 1, j + 1] = table[i, j] * x[i, j] + x[i, j + 1]
            best = max(best, table[i + 1, j + 1])
    return best


@pytest.mark.parametrize(("function", "given"), [(swapped, X[:, 0]), (best_of_a_table, X)])
def test_an_entry_of_an_array_whose_axes_are_counted_is_a_number(engine, function, given):
    formula = pb.derive_pullback(function)
    np.testing.assert_allclose(formula(given), function(given.copy()), rtol=1e-14)
    assert pb.gradcheck(formula, given, order=2)


@pytest.mark.parametrize(
    "statements",
    [
        (
            "a = np.zeros(3)",
            "for i in range(n):",
            "    t = a[0]; a[0] = 2.0; s = t + 1; a = np.stack([a, a])",
        ),
        ("a = np.exp(x)", "t = a[0]", "a[0] = 2.0", "s = t + 1"),
        ("a = np.zeros((3, n))", "t = a[0]", "a[0] = 2.0", "s = t + 1"),
        ("a = np.zeros(3)", "t = a[n]", "a[0] = 2.0", "s = t + 1"),
        ("a = np.zeros(x.shape[1:])", "t = a[0]", "a[0] = 2.0", "s = t + 1"),
    ],
)
def test_a_part_that_may_be_a_view_is_not_read_after_a_write(statements):
    assert [code for code, *_ in findings(text(*statements, "r = a"))] == ["PB301"]
