"""Calls with more arguments than their operator has, and the functions that take them.

An operator has its operands and the attributes that its mathematics needs. What
NumPy's function takes besides (``dtype=``, ``where=``, ``initial=``, ``order=``,
or the same attributes at other positions) is written with operators in
`signatures/`. A call that an operator can take as it is doesn't go there.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

import numpy as np

from ...transpile.operators import OPERATORS

_WIDE: dict[str, Callable[..., Any]] = {}
_ALWAYS: set[str] = set()
# What can be left out by NumPy or the array API, and not of the operator.
_FEWEST = {"where": 3, "expand_dims": 2}
Function = TypeVar("Function", bound=Callable[..., Any])


def wide(*names: str, always: bool = False) -> Callable[[Function], Function]:
    """Decorates a function with the whole signature of NumPy's function behind an operator.

    always  it takes every call: the operator stands for a part of NumPy's function only
    """

    def decorate(function: Function) -> Function:
        _WIDE.update(dict.fromkeys(names, function))
        _ALWAYS.update(names if always else ())
        widened.cache_clear()
        return function

    return decorate


@cache
def widened(name: str, count: int, keywords: frozenset[str]) -> Callable[..., Any] | None:
    """The function that takes a call in place of the operator; None where the operator takes it itself.

    count     number of arguments by position
    keywords  names of the others

    >>> widened("sum", 1, frozenset({"axis"}))
    >>> widened("sum", 3, frozenset()).__name__
    'sum'
    """
    short = count + len(keywords) < _FEWEST.get(name, 0)
    if (
        not short
        and name not in _ALWAYS
        and count <= len(OPERATORS[name].operands)
        and keywords <= _known(name)
    ):
        return None
    return _WIDE.get(name)


def always_wide(name: str) -> bool:
    """True where no call of NumPy's function is the operator's."""
    return name in _ALWAYS


@cache
def _known(name: str) -> frozenset[str]:
    """The keywords that the operator takes."""
    return frozenset((*OPERATORS[name].operands, *OPERATORS[name].attrs))


def whole_signature(name: str) -> inspect.Signature:
    """The whole signature of an operator's function: NumPy's, where it is one of NumPy's.

    >>> str(whole_signature("sort"))
    '(a, axis=-1, kind=None, order=None, *, stable=None, descending=False)'
    """
    written = _WIDE.get(name)
    module, _, attribute = OPERATORS[name].python.rpartition(".")
    own = module.partition(".")[0] == "pullback"
    theirs = None if own else getattr(importlib.import_module(module), attribute, None)
    if isinstance(theirs, np.ufunc) or written is None:
        try:
            return inspect.signature(theirs or _of_operands(name))
        except ValueError:  # NumPy's ufuncs have none before 2.4
            return inspect.signature(_of_operands(name))
    plain = inspect.signature(written)
    parameters = [p.replace(annotation=p.empty) for p in plain.parameters.values()]
    return plain.replace(parameters=parameters, return_annotation=plain.empty)


def _of_operands(name: str) -> Callable[..., Any]:
    """A function that has the operands as its parameters, by position."""
    parameters = [inspect.Parameter(n, inspect.Parameter.POSITIONAL_ONLY) for n in OPERATORS[name].operands]
    parameters += [
        inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY, default=None) for n in OPERATORS[name].attrs
    ]

    def function() -> None:
        """Only its signature is asked for."""

    function.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return function
