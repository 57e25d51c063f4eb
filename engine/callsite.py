"""Where the caller stands, for messages."""

from __future__ import annotations

import sys

PACKAGE = __name__.partition(".")[0]


def callsite() -> str:
    """ "file:line" of the innermost frame outside this package and NumPy."""
    frame = sys._getframe(1)
    while frame.f_back is not None:
        package = frame.f_globals.get("__name__", "").partition(".")[0]
        if package not in (PACKAGE, "numpy", "typeguard"):
            break
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"
