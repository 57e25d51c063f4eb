"""Attributes that are tuples of numbers, read at places that a kernel finds when it runs."""

import numpy as np
import pytest

import pullback as pb
from pullback.transpile.diagnostics import FormulaError
from tests.constructs.columns import _no_python_forward
from tests.sampling import sampled

pytestmark = pytest.mark.compiler

X = np.array([1.3, 0.4, 0.8])


def at_literal_places(x, *, ws: "tuple[float, ...]" = (0.5, 2.0)):
    return x * ws[0] + np.sin(x) * ws[-1]


def in_a_loop(x, *, ws: "tuple[float, ...]" = (0.5, 2.0, 0.1)):
    total = 0.0
    for k, w in enumerate(ws):
        total = total + w * x ** (k + 1)
    return total


def integers(x, *, places: "tuple[int, ...]" = (2, 0, 2)):
    total = 0.0
    for k in places:
        total = total + x[k] ** 2
    return total


def of_rows(x, *, table: "tuple[tuple[float, float], ...]" = ((0.1, 0.5), (0.4, 0.2))):
    for a, b in table:
        x = np.sin(a * x) + b * x
    return x


def of_integers_and_floats(x, *, ws: "tuple[float, ...]" = (0.5, 2)):
    total = 0.0
    for w in ws:
        total = total + w * x
    return total


@pytest.mark.parametrize("function", sampled([at_literal_places, in_a_loop, integers, of_rows], 2))
def test_a_kernel_reads_its_elements(function):
    fast = pb.compile(function, order=2)
    with _no_python_forward():
        np.testing.assert_allclose(fast(X), function(X), rtol=1e-14)
    assert pb.gradcheck(fast, X, order=2)


def test_a_tuple_of_several_types_is_refused():
    with pytest.raises(FormulaError, match="item of these values is not compiled"):
        pb.compile(of_integers_and_floats)(X)
