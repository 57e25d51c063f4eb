"""Arguments of the vocabulary's words stand where NumPy has them."""

import importlib
import inspect

import numpy as np
import pytest

from pullback.transpile.frontend.calls.operators import POSITIONAL
from pullback.transpile.operators import OPERATORS

from ..reading import expression, findings

OTHER_NAMES = {"round", "clip", "flip", "arange"}


def positional(word):
    """The positional parameters of the function that a word stands for; None where nothing tells them."""
    module, _, name = word.python.rpartition(".")
    if module in ("pullback", "operator"):
        return None
    function = getattr(importlib.import_module(module), name, None)
    if function is None or isinstance(function, np.ufunc):
        return None
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:
        return None
    return tuple(parameter.name for parameter in parameters if parameter.kind in kinds)


@pytest.mark.parametrize("name", sorted(OPERATORS))
def test_a_word_has_numpy_s_places(name):
    word = OPERATORS[name]
    theirs = positional(word)
    if theirs is None or name in OTHER_NAMES:
        return
    ours = POSITIONAL.get(name, (*word.operands, *word.attrs))
    assert theirs[: len(ours)] == ours


def test_positional_arguments_are_bound_as_numpy_binds_them():
    assert expression("np.sum(x, 0, None, None, True)") == ["_1 = sum(x, axis=0, keepdims=True)"]
    assert expression("x.std(1, None, None, 1)") == ["_1 = std(x, axis=1, ddof=1)"]
    assert expression("np.max(x, 0, out=None)") == ["_1 = max(x, axis=0)"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("np.sum(x, 0, True)", "dtype"),
        ("x.max(0, y)", "out"),
        ("np.var(x, 0, None, y)", "out"),
        ("np.argmax(x, 0, y)", "out"),
        ("np.sum(x, 0, None, None, True, 0)", "numpy.sum"),
    ],
)
def test_what_a_formula_does_not_have_is_said_by_its_name(text, value):
    found = findings(f"@pb.formula\ndef f(x, y):\n    return {text}, lambda g: (g, g)\n", "PB404")
    assert [(line, what) for _, line, _, what in found] == [(3, value)]
