"""For which processors the library's kernels were compiled, and which of them run here.

`_native` holds kernels for every x86-64 processor. Beside it lie those for the
levels v3 (AVX2) and v4 (AVX-512) of the architecture, in a library each; the
best that the processor can run is loaded. PULLBACK_LEVEL names a lower one.
Results of two levels differ in rounding alone, within the 4 units in the last
place of the functions that kernels call: each has vectors of its own width, and
sums have the same order. Nothing is contracted or reordered on any.
"""

from __future__ import annotations

import ctypes
import os
import warnings
from functools import cache
from pathlib import Path

from ..kernels.exported import supply
from . import _native

LEVELS = ("x86-64", "x86-64-v3", "x86-64-v4")
_FOLDER = Path(_native.__file__ or "").parent
Kernels = dict[str, tuple[str, dict[str, tuple[int, int, int]]]]


def chosen() -> str:
    """The level whose kernels run; empty on other processors than x86-64."""
    return _found()[0]


def builtin_kernels() -> Kernels:
    """Addresses of the kernels that run, as `_native.builtin_kernels` gives them."""
    return _found()[1]


@cache
def supplied(tables: frozenset[str]) -> bool:
    """Have the kernels that run call these functions of SciPy; False where some are not there."""
    level = chosen()
    path = _FOLDER / f"kernels-{level}.so" if level in LEVELS[1:] else _native.__file__
    return not tables or supply(ctypes.CDLL(str(path)), *tables)


@cache
def _found() -> tuple[str, Kernels]:
    best = _native.processor_level()
    for level in reversed(LEVELS[1 : LEVELS.index(_most(best)) + 1] if best else ()):
        path = _FOLDER / f"kernels-{level}.so"
        kernels = _native.builtin_kernels(str(path)) if path.exists() else {}
        if kernels:
            return level, kernels
    return LEVELS[0] if best else "", _native.builtin_kernels()


def _most(best: str) -> str:
    """The level that PULLBACK_LEVEL names, where the processor has it; else the processor's."""
    named = os.environ.get("PULLBACK_LEVEL")
    if not named:
        return best
    if named in LEVELS[: LEVELS.index(best) + 1]:
        return named
    warnings.warn(
        f"PULLBACK_LEVEL={named}: this processor has {', '.join(LEVELS[: LEVELS.index(best) + 1])}",
        RuntimeWarning,
        stacklevel=2,
    )
    return best
