"""`not` of what elements decide is compiled, with the gradients of the formula."""

import numpy as np
import pytest

import pullback as pb
from pullback.transpile.diagnostics import FormulaError
from tests.constructs.columns import _no_python_forward
from tests.sampling import sampled

pytestmark = pytest.mark.compiler


def chosen(x):
    s = x.sum()
    return x * 2 if not s == 5 else x * 3  # noqa: SIM201 - a negation is what is tested


def one_of_two(x):
    s = x.sum()
    return x * 2 if s > 0 and not s > 5 else x * 3


def of_both(x):
    s = x.sum()
    return x * 2 if not (s > 0 and s < 5) else x * 3


def on_a_side(x):
    if x[0] > 0.4:  # noqa: SIM108 - a statement is what is tested
        holds = not np.any(x > 5)
    else:
        holds = False
    return x * x if holds else x * 3


def until_it_holds(x):
    done = not np.any(x > 5)
    while not done:
        x = x * 0.5 + 0.1 * x * x / (1 + x * x)
        done = not np.any(x > 5)
    return x


def or_otherwise(x):
    done, n = x[0] > 5, 0
    while not done and n < 10:
        x = x * 1.5
        n += 1
        done = x[0] > 5 or not x[1] < 7
    return x


def each(x):
    for v in x:
        if not v > 0.55:  # noqa: SIM108 - a statement is what is tested
            x = x * v
        else:
            x = x + v
    return x


EVERY = [chosen, one_of_two, of_both, on_a_side, or_otherwise, each]
CASES = [(program, scale) for program in EVERY for scale in (1.0, 3.0, 20.0)]


# A loop that has no iteration runs on the formula's Python.
@pytest.mark.parametrize(("program", "scale"), sampled([*CASES, (until_it_holds, 20.0)], 2, spread=True))
def test_a_negated_condition(program, scale):
    x = np.array([0.5, 0.6, 0.7]) * scale
    formula = pb.derive_pullback(program)
    fast = pb.compile(formula)
    with _no_python_forward():
        np.testing.assert_array_equal(fast(x), program(x.copy()))

    def gradient(function):
        return pb.func.grad(lambda a: pb.numpy.sum(np.square(function(a))))(x)

    np.testing.assert_allclose(gradient(fast), gradient(formula), rtol=1e-12)


def test_more_than_one_element_has_no_truth():
    fast = pb.compile(pb.derive_pullback(of_all))
    np.testing.assert_array_equal(fast(np.array([0.5])), [1.0])
    with pytest.raises(ValueError, match="more than one element"):
        fast(np.array([0.5, 0.6]))


def of_all(x):
    return x * 2 if not x > 50 else x


def times_a_truth(x):
    return x * (1 + (not x.sum() > 50))


def test_a_truth_that_is_computed_with_is_refused():
    formula = pb.derive_pullback(times_a_truth)
    x = np.array([0.5, 0.6], np.float32)
    assert formula(x).dtype == times_a_truth(x).dtype == np.float32
    with pytest.raises(FormulaError, match="not_ of these values is not compiled"):
        pb.compile(formula)(x)
