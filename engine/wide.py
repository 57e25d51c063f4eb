"""Which calls are wider than the operator that they are made of, and what takes them.

An operator has its operands and the attributes that its mathematics needs. What
NumPy's function takes besides (``dtype=``, ``where=``, ``initial=``, ``order=``,
or the same attributes at other positions) is written with operators in
`signatures/`. A call that an operator can take as it is doesn't go there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, TypeVar

from ..transpile.vocabulary import WORDS

_WIDE: dict[str, Callable[..., Any]] = {}
_ALWAYS: set[str] = set()
Function = TypeVar("Function", bound=Callable[..., Any])


def wide(*words: str, always: bool = False) -> Callable[[Function], Function]:
    """Decorates a function with the whole signature of NumPy's function behind a word.

    always  it takes every call: the operator stands for a part of NumPy's function only
    """

    def decorate(function: Function) -> Function:
        _WIDE.update(dict.fromkeys(words, function))
        _ALWAYS.update(words if always else ())
        return function

    return decorate


def widened(name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Callable[..., Any] | None:
    """What takes this call of a word in the place of its operator; None where the operator does itself.

    >>> import numpy as np
    >>> widened("sum", (1.0,), {"axis": 0})
    >>> widened("sum", (1.0, 0, np.float32), {}).__name__
    'sum'
    """
    short = name == "where" and len(args) + len(kwargs) < 3
    if (
        not short
        and name not in _ALWAYS
        and len(args) <= len(WORDS[name].operands)
        and kwargs.keys() <= _known(name)
    ):
        return None
    return _WIDE.get(name)


@cache
def _known(name: str) -> frozenset[str]:
    """The keywords that the word's operator takes."""
    return frozenset((*WORDS[name].operands, *WORDS[name].attrs))
