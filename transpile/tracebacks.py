"""Tracebacks in a notebook and at a prompt: the frames of whoever called, and not the package's own.

``PULLBACK_TRACEBACK=1`` shows all, for a report of an error in the package. Scripts always show all.
"""

from __future__ import annotations

import os
import sys
import traceback
from types import FrameType, TracebackType
from typing import Any

from .cells import ipython

PACKAGE = __name__.partition(".")[0]


def shows_all() -> bool:
    """True where the environment asks for the package's frames too."""
    return os.environ.get("PULLBACK_TRACEBACK", "") not in ("", "0")


def of_callers(whole: TracebackType | None) -> TracebackType | None:
    """The traceback without the package's frames, and without those of libraries that it called.

    What a caller's function does that the package calls back stays. All of it where nothing else would stay.
    """
    steps = []
    inside = False
    step = whole
    while step is not None:
        if _is_own(step.tb_frame):
            inside = True
        elif not inside or not _is_library(step.tb_frame):
            inside = False
            steps.append(step)
        step = step.tb_next
    if not steps:
        return whole
    chain: TracebackType | None = None
    for step in reversed(steps):
        chain = TracebackType(chain, step.tb_frame, step.tb_lasti, step.tb_lineno)
    return chain


def _is_own(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0] == PACKAGE


def _is_library(frame: FrameType) -> bool:
    """True for Python's and NumPy's modules, which the package calls on its way."""
    name = str(frame.f_globals.get("__name__", "")).partition(".")[0]
    return name in sys.stdlib_module_names or name == "numpy"


def rendered(error: BaseException) -> list[str]:
    """The lines that IPython shows for an error of the package: what its hook `_render_traceback_` gives."""
    steps = error.__traceback__ if shows_all() else of_callers(error.__traceback__)
    shell = ipython()
    if shell is None:
        return traceback.format_exception(type(error), error, steps)
    lines: list[str] = shell.InteractiveTB.structured_traceback(type(error), error, steps, tb_offset=1)
    return lines


def at_prompts(error_type: type[BaseException]) -> None:
    """Have Python's prompt show callers' frames for errors of this type; nothing changes elsewhere."""
    if not hasattr(sys, "ps1") or shows_all():
        return
    shown = sys.excepthook

    def hook(kind: type[BaseException], error: BaseException, whole: TracebackType | None) -> Any:
        if isinstance(error, error_type):
            whole = of_callers(whole)
            error = error.with_traceback(whole)
        return shown(kind, error, whole)

    sys.excepthook = hook
