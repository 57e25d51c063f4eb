"""Formulas as they were read, cached on disk: reading a text takes longer than loading what came of it.

The key holds what decides a reading: the file with its size and time, the place in it, what the decorator
was given, and what the names in the text stand for; of a formula of the package its name and the package.
Formulas that call plain functions, whose texts count too, are read each time, as are those that stand in no
file.
"""

from __future__ import annotations

import inspect
import linecache
import os
import re
from types import CodeType
from typing import Any

from ..core.registry import FORMULAS
from ..formula.formula import Formula
from ..formula.reading import binding, variables_of
from .disk_cache import cached, key_of_package

_NAME = re.compile(r"[^\W\d]\w*")


def read(formula: Formula) -> None:
    """Have `formula.ir` there, from the disk where it was read before. Raises what reading raises."""
    if "ir" in vars(formula):
        return
    ours = FORMULAS.of_library(formula)
    what = [formula.__name__] if ours else _what_decides(formula)
    if what is not None:
        key = key_of_package("reading", *what)
        vars(formula)["ir"] = cached(key, lambda: formula.ir, ".formula" if ours else ".kernels")
        formula.reading = key


def _what_decides(formula: Formula) -> list[str] | None:
    """Texts that are others where the reading is another one; None where that is not known."""
    function: Any = inspect.unwrap(formula.__wrapped__)
    code = function.__code__
    try:
        state = os.stat(code.co_filename)
    except OSError:
        return None
    found = [f"{code.co_filename}:{code.co_firstlineno} {state.st_size} {state.st_mtime_ns}", formula.stated]
    variables = variables_of(function)
    for name in _names(code):
        value = variables.get(name, formula)
        if value is formula or value is function:
            continue
        meaning = binding(value)
        if meaning.kind == "helper":
            return None
        found.append(f"{name} {meaning!r}")
    return found


def _names(code: CodeType) -> list[str]:
    """The names in a function's text."""
    linecache.checkcache(code.co_filename)
    lines = linecache.getlines(code.co_filename)[code.co_firstlineno - 1 : _last_line(code)]
    return sorted(set(_NAME.findall("".join(lines))))


def _last_line(code: CodeType) -> int:
    own = max(end or 0 for _, end, _, _ in code.co_positions())
    return max([own, *(_last_line(inner) for inner in code.co_consts if isinstance(inner, CodeType))])
