"""No operator of `pullback.numpy` is without a derivative by accident."""

import types

import numpy as np
import pytest

import pullback.numpy as pnp
from pullback.engine.numpy_functions import WRITTEN_WITH_OPERATORS
from pullback.engine.registry import FORMULAS
from pullback.transpile.vocabulary import WORDS

# Why an operator has no formula. What isn't listed here must have one.
EXEMPT = {
    **dict.fromkeys(
        ["floor", "ceil", "trunc", "round", "sign", "floor_divide"], "constant between its jumps"
    ),
    **dict.fromkeys(
        ["less", "less_equal", "greater", "greater_equal", "equal", "not_equal"], "the result is bool"
    ),
    **dict.fromkeys(["logical_and", "logical_or", "logical_not", "all", "any"], "the result is bool"),
    **dict.fromkeys(["isnan", "isinf", "isfinite", "signbit"], "the result is bool"),
    **dict.fromkeys(["bitwise_and", "bitwise_or", "invert"], "of whole numbers and bools only"),
    **dict.fromkeys(["argmax", "argmin"], "the result is an index"),
    **dict.fromkeys(["zeros_like", "ones_like", "full_like"], "takes shape and dtype of its operand only"),
    **dict.fromkeys(["zeros", "ones", "arange"], "made of numbers, without an operand"),
    "stop_gradient": "it is what it is for",
    **dict.fromkeys(
        ["split_like", "unstack_like", "contract_gradients"], "gives a list: written with other operators"
    ),
}
# Functions of the module that make a tensor of what they are given by calling operators.
CONVERSIONS = {"array", "asarray"}
# What the module imports to be written with.
HELPERS = {"call", "engine_of"}


def operators():
    """The functions that `pullback.numpy` defines, by name."""
    return {
        name: value
        for name, value in vars(pnp).items()
        if isinstance(value, types.FunctionType)
        and value.__module__.startswith("pullback")
        and not name.startswith("_")
        and name not in HELPERS
    }


@pytest.mark.parametrize("name", sorted(operators()))
def test_an_operator_has_a_formula_or_a_reason(name):
    function = operators()[name]
    word = WORDS.get(function.__name__)
    if word is None:
        assert function in WRITTEN_WITH_OPERATORS.values() or name in CONVERSIONS, f"{name} is no operator"
    else:
        assert (FORMULAS.of_word(word.name) is not None) != (word.name in EXEMPT)


@pytest.mark.parametrize("word", sorted(WORDS))
def test_a_word_has_a_formula_or_a_reason(word):
    has_formula = FORMULAS.of_word(word) is not None
    assert has_formula != (word in EXEMPT)
    assert has_formula or WORDS[word].derivative == "zero" or WORDS[word].gives_list


def test_reasons_are_of_words_that_exist():
    assert set(EXEMPT) <= set(WORDS)
    assert all(EXEMPT.values())


@pytest.mark.parametrize(
    "word", [w for w in WORDS.values() if w.python.startswith("numpy.")], ids=lambda w: w.name
)
def test_a_word_of_numpy_is_in_the_namespace(word):
    """Under each of its names; `np.linalg.norm` and its like are NumPy's own, which dispatch."""
    for name in (word.python, *word.spelling):
        module, _, attribute = name.rpartition(".")
        if module == "numpy" and hasattr(np, attribute):
            assert attribute in vars(pnp), name
