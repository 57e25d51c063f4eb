"""No function of `pullback.numpy` is without a derivative by accident."""

import types

import numpy as np
import pytest
import scipy
import scipy.special

import pullback.numpy as pnp
from pullback.engine.calls.direct import OperatorFunction, WrittenFunction
from pullback.engine.core.no_derivative import CONSTANT, REFUSED, WRITES, why
from pullback.engine.core.registry import FORMULAS
from pullback.engine.numpy import creation, scattered_writes
from pullback.engine.numpy.written import WRITTEN_WITH_OPERATORS
from pullback.transpile.operators import OPERATORS

# Functions of the module that are neither operators nor ask for a gradient.
OTHERS = {"finfo", "iinfo", "call_generally", "call_into", "engine_of", "written"}
TABLES = (CONSTANT, REFUSED, WRITES)
MODULES = (np, np.linalg, np.fft)


def has_derivative(function):
    return FORMULAS.find(function) is not None or function in WRITTEN_WITH_OPERATORS


def dispatching():
    """NumPy's functions that ask the arrays they are given."""
    found = {
        f"{module.__name__}.{name}": value
        for module in MODULES
        for name, value in vars(module).items()
        if isinstance(value, np.ufunc) or hasattr(value, "_implementation")
    }
    return {name: value for name, value in found.items() if not name.startswith("numpy._")}


@pytest.mark.parametrize("name", sorted(dispatching()))
def test_a_function_of_numpy_has_a_derivative_or_a_reason(name):
    function = dispatching()[name]
    reasons = [table for table in TABLES if why(function, table) is not None]
    assert has_derivative(function) + len(reasons) == 1


@pytest.mark.parametrize("name", [n for n in scipy.special.__all__ if callable(getattr(scipy.special, n))])
def test_a_function_of_scipy_has_a_derivative_or_a_reason(name):
    function = getattr(scipy.special, name)
    if isinstance(function, type) or name in ("geterr", "seterr"):
        return  # of errors
    reasons = [table for table in TABLES if why(function, table) is not None]
    assert has_derivative(function) + len(reasons) == 1


def operators():
    """The functions that `pullback.numpy` defines, by name."""
    return {
        name: value
        for name, value in vars(pnp).items()
        if isinstance(value, (types.FunctionType, OperatorFunction, WrittenFunction))
        and value.__module__.startswith("pullback")
        and not name.startswith("_")
        and name not in OTHERS
    }


def has_a_reason(word):
    """Of numbers alone `np.array` has no gradient; of tensors it is a stack, which has one."""
    return word.python in CONSTANT or word.name == "array"


@pytest.mark.parametrize("name", sorted(operators()))
def test_an_operator_has_a_derivative_or_a_reason(name):
    function = operators()[name]
    word = OPERATORS.get(function.__name__)
    if word is None:
        function = function._call if isinstance(function, WrittenFunction) else function
        assert (
            function in WRITTEN_WITH_OPERATORS.values()
            or function in (vars(creation) | vars(scattered_writes)).values()
        )
    else:
        assert (FORMULAS.of_operator(word.name) is not None) != has_a_reason(word)


@pytest.mark.parametrize("word", OPERATORS.values(), ids=lambda word: word.name)
def test_a_word_has_a_formula_or_a_reason(word):
    has_formula = FORMULAS.of_operator(word.name) is not None
    assert has_formula + word.gives_list + has_a_reason(word) == 1
    assert has_formula or word.derivative == "zero" or word.gives_list


def test_reasons_are_of_functions_that_exist_and_stand_once():
    names = [name for table in TABLES for name in table]
    assert len(names) == len(set(names))
    assert all(reason for table in TABLES for reason in table.values())
    roots = {"numpy": np, "scipy": scipy}
    for name in names:
        root, part, *_ = name.split(".")
        assert root == "pullback" or hasattr(roots[root], part)


@pytest.mark.parametrize(
    "word", [w for w in OPERATORS.values() if w.python.startswith("numpy.")], ids=lambda w: w.name
)
def test_a_word_of_numpy_is_in_the_namespace(word):
    """Under each of its names; `np.linalg.norm` and its like are NumPy's own, which dispatch."""
    for name in (word.python, *word.spelling):
        module, _, attribute = name.rpartition(".")
        if module == "numpy" and hasattr(np, attribute):
            assert attribute in vars(pnp) or getattr(np, attribute) in WRITTEN_WITH_OPERATORS, name
