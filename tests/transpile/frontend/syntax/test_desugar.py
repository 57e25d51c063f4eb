"""Statements that stand for others: they do what Python does, before and after compilation."""

import numpy as np
import pytest

import pullback as pb
from pullback.transpile.diagnostics import FormulaError
from tests.sampling import sampled

pytestmark = pytest.mark.compiler


def products(x, w):
    assert x.ndim == 2, f"x has {x.ndim} axes"
    assert x.shape[1] == len(w)
    assert np.all(w > 0), "weights"
    y = np.zeros(len(x))
    for i in range(len(x)):
        assert w[0] < 5, "in a loop"
        y[i] = np.dot(x[i], w)
    return y


X, W = np.arange(6.0).reshape(3, 2), np.array([0.5, 1.5])


@pytest.mark.parametrize("made", [pb.derive_pullback, lambda f: pb.compile(f, order=1)])
def test_they_are_checked_where_they_stand(made):
    function = made(products)
    np.testing.assert_allclose(function(X, W), products(X, W))
    assert pb.gradcheck(function, X, W, order=1)


@pytest.mark.parametrize(
    ("given", "message"),
    [((X[0], W), "x has 1 axes"), ((X, W[:1]), ""), ((X, -W), "weights"), ((X, 10 * W), "in a loop")],
)
@pytest.mark.parametrize("made", [pb.derive_pullback, lambda f: pb.compile(f, order=1)])
def test_what_is_raised_says_what_the_author_says(made, given, message):
    with pytest.raises(AssertionError) as raised:
        made(products)(*given)
    assert str(raised.value) == message


def quiet(x):
    with np.errstate(divide="ignore", invalid="ignore"), np.errstate(over="ignore"):
        y = np.log(x)
        if y[0] > 5:
            return y
    return np.where(x > 0.5, y, 0.0)


def first_and_rest(x):
    first, *rest = x
    total = first * len(rest)
    for each in rest:
        total = total * each
    return total


def ends_and_middle(x):
    a, *middle, b = x * 2
    return a * b * middle[-1] + middle[0]


def leading_axes(x):
    *lead, n = x.reshape(2, 2).shape
    return x.reshape(2, 2).sum(axis=-1).reshape(lead) / n


def of_a_tuple(x):
    a, *others = (x, x * 2, x * 3)
    return others[1] * a + others[0]


def named_in_a_condition(x):
    if (n := len(x)) > 9:
        return x
    elif (s := np.sum(x)) > 0:
        return x * n * s
    return s * x


def named_in_a_while(x):
    y, k = x, 0
    while (error := np.max(np.abs(y * y - x))) > 1e-10 and k < 50:
        k += 1
        if k == 3:
            continue
        y = 0.5 * (y + x / y)
    return y * (1 + error)


def named_in_an_expression(x):
    return (s := np.sum(x)) * x + (s if (p := x * 2).ndim else 0) * p


def named_in_an_assertion(x):
    assert (n := len(x)) > 2, "few"  # noqa: RUF018 - what is tested
    return x * n


def read_before(x):
    y = x * 2
    y += (z := x * 3) * z
    return y * z


def loop_that_ends(x):
    y = x
    for _ in range(40):
        new = 0.5 * (y + x / y)
        error = np.max(np.abs(new - y))
        y = new
        if error < 1e-8:
            break
    else:
        y = y * 0
    return y


def loop_that_does_not_end(x):
    for v in x:
        if v > 10:
            break
    else:
        x = x * 2
    return x * x


def loops_in_each_other(x):
    total = 0.0
    for i in range(len(x)):
        for j in range(len(x)):
            if x[j] > x[i]:
                break
        else:
            total = total + x[i] ** 2
            if total > 100:
                break
        total = total + x[i]
    else:
        total = total * 3
    return total


def counted_loop(x):
    k, total = 0, 0.0
    while k < len(x):
        if x[k] > 100:
            break
        total = total + x[k] * k
        k += 1
    else:
        total = total * 2
    return total


def deleted(x):
    t, u = x * 2, x * 3
    y = t * u
    del t, u
    t = y + 1
    return t * y


def matched(x):
    total = 0.0
    for k in range(2 * len(x)):
        match k % 5:
            case 4 if k > 4:
                break
            case 4:
                continue
            case 0 | 1:
                part = x[k % 4] ** 2
            case other:
                part = x[k % 4] * other
        total = total + part
    else:
        total = total * 100
    return total


WRITTEN = [
    quiet, first_and_rest, ends_and_middle, leading_axes, of_a_tuple, named_in_a_condition, named_in_a_while,
    named_in_an_expression, named_in_an_assertion, read_before, loop_that_ends, loop_that_does_not_end,
    loops_in_each_other, counted_loop, deleted, matched,
]  # fmt: skip
VECTOR = np.array([0.7, 1.2, 0.6, 0.9])


def agrees(formula, function):
    """Check a formula's values and first derivatives against the text's."""
    np.testing.assert_allclose(formula(VECTOR), function(VECTOR))
    assert pb.gradcheck(formula, VECTOR, order=1)


@pytest.mark.parametrize("function", WRITTEN, ids=lambda function: function.__name__)
def test_values_and_gradients_are_those_of_the_text(function):
    agrees(pb.derive_pullback(function), function)


@pytest.mark.parametrize("function", sampled(WRITTEN, 3))
def test_kernels_have_those_too(function):
    agrees(pb.compile(function, order=1), function)


def test_a_pattern_that_takes_a_value_apart_is_refused():
    @pb.derive_pullback
    def apart(x):
        match x.shape:
            case (n, m):
                return x * n * m
        return x

    with pytest.raises(FormulaError, match="a `match` statement that takes values apart is outside"):
        apart(VECTOR)


def too_few(x):
    a, *_, b, c = x
    return a * b + c


@pytest.mark.parametrize("made", [pb.derive_pullback, lambda f: pb.compile(f, order=1)])
def test_too_few_values_to_unpack_are_pythons_error(made):
    with pytest.raises(ValueError, match=r"not enough values to unpack \(expected at least 3, got 2\)"):
        made(too_few)(np.ones(2))


class Other:
    """A context of another library that is named as NumPy's."""

    @staticmethod
    def errstate():
        return pytest.raises(ZeroDivisionError)


def with_another(x):
    with Other.errstate():
        y = x * 2
    return y


def raising(x):
    with np.errstate(divide="raise"):
        y = 1 / x
    return y


def deleted_and_read(x):
    y = x * 2
    del y
    return y  # noqa: F821 - what is refused


def read_and_named(x):
    t = x
    return t + (t := x * 2) * t


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (with_another, "a `with` statement"),
        (raising, "a `with` statement"),
        (deleted_and_read, "`y` is deleted before this"),
        (read_and_named, "an assignment"),
    ],
)
def test_what_would_mean_something_else_is_refused(function, message):
    with pytest.raises(FormulaError, match=message):
        pb.derive_pullback(function)(VECTOR)
