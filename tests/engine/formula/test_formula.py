"""What a formula object tells about itself, and what the decorators refuse."""

import inspect
import traceback
from functools import partial

import numpy as np
import pytest

import pullback as pb
from pullback.transpile.diagnostics import FormulaError
from tests.conformance.formulas import simple


@pb.formula
def there(x):
    return back(x), lambda grad: grad


@pb.formula
def back(x):
    return there(x), lambda grad: grad


@pb.formula
def unclosed(x):
    return 2 * x


@pb.formula
def fails(x):
    r = x * x

    def fails_pullback(grad):
        return np.reshape(grad, (7,))

    return r, fails_pullback


def test_captures_name_verdict_and_line():
    first = inspect.getsourcelines(simple.__wrapped__)[1]
    found = [(c.name, c.verdict.value, c.action, c.span.line - first) for c in simple.captures]
    assert found == [("b", "input", "saved", 7), ("t", "intermediate", "promoted", 7)]


def test_the_repr_names_the_hidden_outputs():
    assert repr(simple) == "<formula simple(a, b), hidden t>"
    assert "promoted" in simple._repr_html_()


@pytest.mark.parametrize(
    ("target", "part"),
    [
        ("python", "def simple_backward_general("),
        ("native", "struct SimpleForward"),
        ("ir", "return result r, hidden t"),
        ("author", "def simple_pullback(grad):"),
    ],
)
def test_the_source_for_each_target(target, part):
    assert part in simple.source(target)


def test_an_unknown_target_is_refused():
    with pytest.raises(ValueError, match="'native'"):
        simple.source("rust")


def test_hidden_outputs_never_show(engine):
    a, b = pb.tensor([1.0, 2.0], requires_grad=True), pb.tensor([3.0, 4.0])
    assert isinstance(simple(a, b), pb.Tensor)
    assert isinstance(simple(np.ones(2), np.ones(2)), np.ndarray)
    result, hidden = simple.promoted(a, b)
    np.testing.assert_array_equal(hidden.detach().numpy(), [4.0, 6.0])
    assert result.requires_grad


def test_formulas_that_come_back_to_themselves():
    with pytest.raises(pb.FormulaError, match="PB105"):
        there(np.ones(2))


def test_a_decorated_formula_needs_its_closure():
    with pytest.raises(pb.FormulaError, match="PB405"):
        unclosed(np.ones(2))
    assert pb.derive_pullback(unclosed.__wrapped__)(np.ones(2)).tolist() == [2.0, 2.0]


def test_a_traceback_stands_at_the_author_s_line(engine):
    x = pb.tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises(ValueError, match="reshape") as error:
        fails(x).sum().backward()
    lines = [frame.line for frame in traceback.extract_tb(error.value.__traceback__)]
    assert "return np.reshape(grad, (7,))" in lines


def test_every_error_has_one_base_class():
    with pytest.raises(pb.PullbackError):
        unclosed(np.ones(2))


class Scale:
    def times(self, x):
        return 2 * x

    def __call__(self, x):
        return 3 * x


@pytest.mark.parametrize(
    ("made", "what"),
    [
        (np.frompyfunc(abs, 1, 1), "a ufunc"),
        (partial(pow, 2), "a partial"),
        (Scale().times, "a method"),
        (Scale(), "a Scale"),
    ],
)
def test_what_is_no_function_has_no_text_to_read(made, what):
    with pytest.raises(TypeError, match=rf"is {what}, and a formula is read from the text of a function"):
        pb.derive_pullback(made)
    with pytest.raises(TypeError, match=what):
        pb.compile(made)


def test_functions_without_a_def_are_refused_where_they_stand():
    with pytest.raises(FormulaError, match=r"test_formula.py:\d+:28: PB402 error: a `lambda`"):
        pb.derive_pullback(lambda x: 2 * x).ir  # noqa: B018 - reading it is what raises

    async def slow(x):
        return 2 * x

    with pytest.raises(FormulaError, match=r":5: PB401 error: an `async` function"):
        pb.derive_pullback(slow).ir  # noqa: B018 - reading it is what raises


@pb.formula
def scaled(x, *, by: int = 2):
    def scaled_pullback(grad):
        return grad * by

    return x * by, scaled_pullback


@pytest.mark.parametrize(
    "function", [scaled, pytest.param(pb.compile, marks=pytest.mark.compiler)], ids=["formula", "compiled"]
)
def test_lists_are_arrays_where_an_array_is_read(function):
    called = function if function is scaled else function(scaled)
    assert np.array_equal(called([1.0, 2.0]), [2.0, 4.0])
    assert np.array_equal(called(([1, 2], [3, 4]), by=3), [[3, 6], [9, 12]])
    # An integer of NumPy's is an array without axes, and widens as one.
    assert called(np.ones(2, np.float32), by=np.int64(3)).dtype == np.float64
    assert called(np.ones(2, np.float32), by=3).dtype == np.float32


@pb.derive_pullback
def exp(x):
    return 2 * np.exp(x)


@pb.derive_pullback
def calls_exp(x):
    return exp(x) + np.exp(x)


@pb.formula
def squares_exp(x):
    t = exp(x) + np.exp(x)

    def squares_exp_pullback(grad):
        return grad * 2 * t * t

    return t * t, squares_exp_pullback


@pytest.mark.parametrize(
    "called", [lambda f: f, pytest.param(pb.compile, marks=pytest.mark.compiler)], ids=["formula", "compiled"]
)
@pytest.mark.parametrize(
    ("function", "factor", "power"), [(exp, 2, 1), (calls_exp, 3, 1), (squares_exp, 9, 2)]
)
def test_a_derived_function_may_be_named_as_an_operator_and_called_by_formulas(
    called, function, factor, power
):
    x = pb.tensor([0.5], requires_grad=True)
    y = called(function)(x)
    (first,) = pb.grad(y.sum(), x, create_graph=True)
    (second,) = pb.grad(first.sum(), x)
    for n, found in enumerate((y, first, second)):
        np.testing.assert_allclose(found.detach(), factor * power**n * np.exp(0.5 * power), rtol=1e-12)
