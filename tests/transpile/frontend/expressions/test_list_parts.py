"""Parts of lists of a length that only the run knows."""

import numpy as np
import pytest

import pullback as pb

from ..reading import findings

X = np.array([0.9, 1.2, 0.4, 0.7])
PARTS = (
    "[::-1]",
    "[1:]",
    "[:-1]",
    "[2:-1]",
    "[:2]",
    "[1:3]",
    "[-2:]",
    "[:]",
    "[:9]",
    "[-9:]",
    "[6:]",
    "[:-6]",
    "[x.ndim :]",
    "[x.ndim - 3 : len(items) - 1]",
)
TEXT = """
import numpy as np


def program(x):
    items = []
    for value in x:
        items.append(value * value)
    return np.array(items{part}) * 2.0
"""


@pytest.fixture
def program(tmp_path, request):
    path = tmp_path / "program.py"
    path.write_text(TEXT.format(part=request.param))
    names = {"__name__": "program", "__file__": str(path)}
    exec(compile(path.read_text(), str(path), "exec"), names)
    return names["program"]


@pytest.mark.parametrize("program", PARTS, indirect=True)
def test_a_part_has_the_elements_that_python_takes(engine, program):
    formula = pb.derive_pullback(program)
    for x in (X, X[:1], X[:0]):
        np.testing.assert_array_equal(formula(x), program(x))
    assert pb.gradcheck(formula, X, order=2)


@pytest.mark.compiler
@pytest.mark.parametrize("program", PARTS[:7:2], indirect=True)
def test_a_part_is_compiled(program):
    fast = pb.compile(program)
    for x in (X, X[:1]):
        np.testing.assert_array_equal(fast(x), program(x))
    assert pb.gradcheck(fast, X, order=2)


@pb.derive_pullback
def turned(x):
    items = []
    for value in x:
        items.append(np.sin(value))
    items.reverse()
    return np.array(items) * x


def test_a_list_is_turned_in_place(engine):
    np.testing.assert_allclose(turned(X), np.sin(X)[::-1] * X, rtol=1e-15)
    assert pb.gradcheck(turned, X, order=2)


@pytest.mark.parametrize("part", ["[::2]", "[::n]", "[-3:-1]", "[2::-1]"])
def test_other_parts_are_refused_with_what_to_write(part):
    found = findings(f"""
    @pb.formula
    def f(x, *, n: int):
        items = []
        for value in x:
            items.append(value)
        return np.stack(items{part}), lambda g: g
    """)
    assert [(code, line) for code, line, *_ in found][:1] == [("PB402", 6)]


def rows_read(x, ids: tuple[int, ...] = (0, 2)):
    places = list(ids)
    return x[list(ids)] * x[places, 1:2] * x[[k - 1 for k in ids], :1]


def rows_written(x, ids: tuple[int, ...] = (0, 2)):
    out, places = x * 1.0, list(ids)
    out[places] = 3.0 * x[:2]
    np.add.at(out, list(ids), x[1:] ** 2)
    return out[tuple(places)] * out.reshape(list(x.shape)) + len(places)


@pytest.mark.parametrize("program", [rows_read, rows_written], ids=["read", "written"])
def test_the_list_of_a_tuple_is_an_array_as_an_index(engine, program):
    x = np.arange(9.0).reshape(3, 3)[:, ::-1] / 7 + 0.3
    formula = pb.derive_pullback(program)
    np.testing.assert_array_equal(formula(x), program(x))
    assert pb.gradcheck(formula, x, order=2)
