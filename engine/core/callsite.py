"""The caller's file and line, for messages."""

from __future__ import annotations

import sys
from types import FrameType

from ...transpile.cells import place

PACKAGE = __name__.partition(".")[0]
_BETWEEN = (PACKAGE, "numpy", "torch", "typeguard")


def is_internal(frame: FrameType) -> bool:
    """True for a frame of this package, or of a library between it and its caller."""
    return _MODULES[frame.f_globals.get("__name__", "")]


class _Modules(dict[str, bool]):
    """True for modules of this package and of libraries between it and its caller, by full name."""

    def __missing__(self, name: str) -> bool:
        self[name] = found = name.partition(".")[0] in _BETWEEN
        return found


_MODULES = _Modules()


def caller() -> tuple[str, int]:
    """File and line of the innermost frame outside this package, NumPy and PyTorch."""
    frame = sys._getframe(1)
    while frame.f_back is not None and _MODULES[frame.f_globals.get("__name__", "")]:
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno


def callsite() -> str:
    """`caller`, as "file:line"."""
    return place(*caller())
