"""Lists that grow by ``+=``, in front, by rows: written as `append` and `extend`."""

import ast

import numpy as np
import pytest

import pullback as pb
from pullback.transpile.frontend.syntax.lists import write_lists

SIZES = (5, 2, 1)


def plus_equals(x):
    out = []
    for v in x:
        out += [v * v, v]
    return np.array(out)


def a_new_list(x):
    out = [1.0]
    for v in x:
        out = out + [out[-1] * v]  # noqa: RUF005  # what is tested
        out = [*out, v, out[0]]
    return np.array(out)


def in_front(x):
    adv = [0.5]
    for v in x:
        adv.insert(0, v + 0.9 * adv[0] * adv[-1])
    return np.array(adv) * np.arange(len(adv))


def in_front_by_plus(x):
    adv = [x[0], 2.0]
    for v in x:
        if v > 0.1:
            adv = [v + adv[1]] + adv  # noqa: RUF005  # what is tested
            adv = [adv[1] * 2, *adv]
    return np.array(adv) * np.arange(len(adv))


def of_two_lists(x):
    a, b = [], []
    for v in x:
        a.insert(0, v)
        b += list(x[:2])
    a.reverse()
    return sum(a) * np.array(b)


def reversed_where_it_is_written(x):
    out = [x[0], 2.0, x[-1] * 3.0]
    out.reverse()
    return np.array(out)


def joined(x):
    inner = [(x[i - 1] + x[i]) / 2 for i in range(1, len(x))]
    return np.array([x[0]] + inner + [x[-1]] * 2 + inner)  # what is tested


def rows(x):
    found = [[x[0], 1.0]]
    for i in range(len(x)):
        a, b = found[-1]
        found.append([a * 0.5 + x[i], b * i])
    return np.array(found) * len(found) + found[0][1]


def pairs_of_places(x):
    places = []
    for i in range(len(x)):
        for j in range(i + 1):
            places.append((i, j))
    return sum([x[i] * x[j] for i, j in places])


def lists_of_numbers_at_once(x):
    a, b, c = [0.0] * len(x), [], [1.0] * (len(x) + 1)
    for i in range(len(x)):
        a[i] = x[i] * c[i]
        b.append(a[i])
        c[i + 1] = c[i] * x[i]
    return np.array(a) + np.array(b) + np.array(c)[1:]


def an_array_plus_a_list(x):
    out = np.zeros(2)
    for v in x:
        out += [v * v, 1.0]
    return out - [x[0], x[-1]]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    "function",
    [
        plus_equals, a_new_list, in_front, in_front_by_plus, of_two_lists, reversed_where_it_is_written,
        joined, rows, pairs_of_places, lists_of_numbers_at_once, an_array_plus_a_list,
    ],
)  # fmt: skip
def test_values_and_derivatives_are_those_of_numpy(function, size):
    x = np.linspace(0.3, -0.9, size)
    formula = pb.derive_pullback(function)
    np.testing.assert_allclose(formula(x), function(x), rtol=1e-14)
    assert size != 2 or pb.gradcheck(formula, x, order=2)


def read_by_a_function(x):
    out = []

    def first():
        return out[0]

    for v in x:
        out.insert(0, v)
    return first()


def test_a_list_that_a_function_sees_is_not_written_anew():
    with pytest.raises(pb.FormulaError):
        _ = pb.derive_pullback(read_by_a_function).operator


@pytest.mark.parametrize(
    "text",
    [
        "out = []\n    out += x",  # NumPy adds
        "out = []\n    out += [1]\n    out = np.array(out)",
        "out = []\n    for out in x:\n        out += [1]",
        "out = [1]\n    out *= 2\n    out += [1]",
    ],
)
def test_other_names_stay_as_they_are(text):
    tree = ast.parse(f"def f(x):\n    {text}\n    return out\n")
    before = ast.unparse(tree)
    write_lists(tree)
    assert ast.unparse(tree) == before
