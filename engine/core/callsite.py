"""The caller's file and line, for messages."""

from __future__ import annotations

import sys
from functools import cache
from types import FrameType

from ...transpile.cells import place

PACKAGE = __name__.partition(".")[0]
_BETWEEN = (PACKAGE, "numpy", "torch", "typeguard")


def is_internal(frame: FrameType) -> bool:
    """True for a frame of this package, or of a library between it and its caller."""
    return _is_between(frame.f_globals.get("__name__", ""))


@cache
def _is_between(module: str) -> bool:
    return module.partition(".")[0] in _BETWEEN


def caller() -> tuple[str, int]:
    """File and line of the innermost frame outside this package, NumPy and PyTorch."""
    frame = sys._getframe(1)
    while frame.f_back is not None and _is_between(frame.f_globals.get("__name__", "")):
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno


def callsite() -> str:
    """`caller`, as "file:line"."""
    return place(*caller())
