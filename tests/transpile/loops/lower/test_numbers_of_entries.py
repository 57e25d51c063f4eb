"""Numbers that Python makes of tensors, `int(np.sum(mask))`: variables of C++, of which no shape follows."""

import numpy as np
import pytest

import pullback as pb
from pullback.transpile.diagnostics import FormulaError

pytestmark = pytest.mark.compiler
X = np.array([0.1, 0.9, 0.4, 0.7, 0.2])


def mean_of_many(x):
    inside = x > 0.3
    return np.sum(np.sin(x[inside])) / max(int(np.sum(inside)), 1)


def until_done(x):
    y, done = x * 0.5 + 0.5, False
    for _ in range(20):
        if not done:
            new = 0.5 * (y + x / y)
            done = bool(np.max(np.abs(new - y)) < 1e-12)
            y = new
    return y


def counted(x):
    n = int(np.sum(x > 0.3))
    if n > 2:
        return x * n
    return np.exp(x) * (n + 1)


@pytest.mark.parametrize(("function", "order"), [(mean_of_many, 2), (until_done, 1), (counted, 2)])
def test_values_and_derivatives(function, order):
    compiled = pb.compile(function, order=order)
    for x in (X, X * 0.4):
        np.testing.assert_allclose(compiled(x), function(x), rtol=1e-13)
        assert pb.gradcheck(compiled, x, order=order)
    assert not compiled.limits()


def test_a_shape_that_entries_say_is_refused():
    def shaped(x):
        return np.zeros(int(np.sum(x > 0.3))) + np.sum(x)

    with pytest.raises(FormulaError, match="zeros of such a shape is not compiled"):
        pb.compile(shaped)(X)
