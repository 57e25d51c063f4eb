"""Lists of numbers that are filled by place: dynamic programs as people write them."""

import ast

import numpy as np
import pytest

import pullback as pb
from pullback.transpile.frontend.syntax.tables import Table, write_tables
from tests.sampling import sampled

X, Y = np.array([0.3, -0.7, 1.2, 0.5, -0.2]), np.array([0.1, 0.9, -0.4])


def warped(s, t):
    n, m = len(s), len(t)
    cost = [[float("inf")] * (m + 1) for _ in range(n + 1)]
    cost[0][0] = 0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            best = min(cost[i - 1][j], cost[i][j - 1], cost[i - 1][j - 1])
            cost[i][j] = (s[i - 1] - t[j - 1]) ** 2 + best
    return cost[n][m]


def longest(s, t):
    best: list[float] = [0 for _ in range(len(s))]
    for i in range(len(s)):
        best[i] = s[i] ** 2
        for j in range(i):
            if s[j] < s[i]:
                best[i] = max(best[i], best[j] + s[i] ** 2)
    return max(best) + sum(best[1:]) * np.sum(t)


def in_two_rows(s, t):
    before = [0.0] * len(t)
    for i in range(len(s)):
        row = [0.0] * len(t)
        for j in range(len(t)):
            row[j] = s[i] * t[j] + 0.5 * before[j]
        row[0] = 1
        before = row
    return np.array(before) * before[1]


def counted(s, t):
    below = [0] * len(s)
    for i in range(len(s)):
        for j in range(len(t)):
            if t[j] < s[i]:
                below[i] += 1
    return sum(s[i] * below[i] for i in range(len(s))) * t[below[0]]


def of_three_axes(s, t):
    powers = [[[-1] * 2 for _ in range(len(t))] for _ in range(len(s))]
    for i in range(len(s)):
        for j in range(len(t)):
            for k in range(2):
                powers[i][j][k] = s[i] ** (k + 1) * t[j]
    return powers[2][1][1] * powers[0][2][0] + len(powers[0])


def sorted_by_neighbours(s, t):
    a = list(s)
    for i in range(len(a)):
        for j in range(len(a) - 1 - i):
            if a[j] > a[j + 1]:
                a[j], a[j + 1] = a[j + 1], a[j]
    return np.array([v * k for k, v in enumerate(a)])


def sorted_by_insertion(s, t):
    a = s.tolist()
    for i in range(1, len(a)):
        key = a[i]
        j = i - 1
        while j >= 0 and a[j] > key:
            a[j + 1] = a[j]
            j -= 1
        a[j + 1] = key
    return np.array(a) * np.arange(len(a))


def generations(s, t):
    cells = [*t, *s]
    for _ in range(2):
        new = cells[:]
        for i in range(1, len(cells) - 1):
            new[i] = 0.5 * cells[i] + 0.25 * np.tanh(cells[i - 1] * cells[i + 1])
        cells = new
    return np.array(cells)


def copied_before(s, t):
    a = [v * v for v in s]
    b = a.copy()
    b[0] = 3.0
    a[-1] += b[0] * a[0]
    return np.array(a) + np.array(b)


def only_read(s, t):
    rows = [v * t for v in s]
    total = [0.0] * (len(s) + 1)
    for i in range(len(s)):
        total[i + 1] = total[i] + np.sum(rows[i])
    return rows[0] * total[-1]


def arrays_stay_arrays(s, t):
    out = s.copy()
    part = out[1:]
    part[0] = 5.0 * t[0]
    return out


@pytest.mark.parametrize(
    "function",
    [
        sorted_by_neighbours, sorted_by_insertion, generations, copied_before, only_read, arrays_stay_arrays
    ],
)  # fmt: skip
def test_lists_of_elements_are_filled_by_place(function):
    derived = pb.derive_pullback(function)
    np.testing.assert_allclose(derived(X, Y), function(X, Y), rtol=1e-14)
    assert pb.gradcheck(derived, X[:3], Y[:2], order=2)


def test_rows_are_no_numbers():
    with pytest.raises(TypeError, match="a list that is filled by place is one of numbers"):
        pb.derive_pullback(sorted_by_neighbours)(np.ones((2, 2)), Y)


@pytest.mark.compiler
@pytest.mark.parametrize("function", sampled([warped, longest, in_two_rows, counted, of_three_axes], 2))
def test_values_and_gradients_are_those_of_the_lists(function):
    derived = pb.derive_pullback(function)
    # The others' kernels are those of arrays, which they are.
    for made in (derived, pb.compile(derived)) if function in (longest, of_three_axes) else (derived,):
        np.testing.assert_allclose(made(X, Y), function(X, Y), rtol=1e-14)
        assert pb.gradcheck(made, X, Y, order=1)


# What a list does otherwise than an array.
OTHERWISE = [
    "t = t + [1.0]",
    "u = t",
    "return t",
    "t.append(1.0)",
    "t[1:] = [2.0]",
    "u = x * t",
    "del t[0]",
    "t = x",
    "f(t)",
    "u = [t, t]",
    "t = [0.0] * 3 + [1.0]",
    "t = [[0.0] * n] * n",
]


@pytest.mark.parametrize("statement", OTHERWISE)
def test_what_else_is_done_with_a_list_leaves_it_one(statement):
    tree = ast.parse(f"def f(x, n):\n    t = [0.0] * n\n    t[0] = x[0]\n    {statement}\n    return t[0]\n")
    write_tables(tree)
    assert not [node for node in ast.walk(tree) if isinstance(node, Table)]


def test_whole_numbers_stay_whole_where_nothing_else_is_written():
    text = "def f(n):\n    t = [0] * n\n    t[0] = 1\n    t[1] += t[0] * 2\n    {}\n    return t[1]\n"
    fills = []
    for more in ("t[2] = t[1]", "t[2] = t[1] / 2", "t[2] = n"):
        tree = ast.parse(text.format(more))
        write_tables(tree)
        fills += [node.fill.value for node in ast.walk(tree) if isinstance(node, Table)]
    assert list(map(repr, fills)) == ["0", "0.0", "0.0"]
