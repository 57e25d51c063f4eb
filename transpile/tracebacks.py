"""Tracebacks in a notebook and at a prompt: the frames of whoever called, and not the package's own.

``PULLBACK_TRACEBACK=1`` shows all, for a report of an error in the package. Scripts always show all.
"""

from __future__ import annotations

import os
import sys
from types import FrameType, TracebackType
from typing import Any

from .cells import ipython
from .diagnostics import PullbackError

PACKAGE = __name__.partition(".")[0]
# What wrong arguments raise inside of the package. Any other error from there is a bug, and shown whole.
OF_ARGUMENTS = (PullbackError, TypeError, ValueError, IndexError, ArithmeticError, NotImplementedError)


def shows_all() -> bool:
    """True where the environment asks for the package's frames too."""
    return os.environ.get("PULLBACK_TRACEBACK", "") not in ("", "0")


def of_callers(error: BaseException, whole: TracebackType | None) -> TracebackType | None:
    """The traceback without the package's frames, and without those of libraries that it called.

    What a caller's function does that the package calls back stays. None where nothing else would stay.
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
    if inside and not isinstance(error, OF_ARGUMENTS):
        return whole
    chain: TracebackType | None = None
    for step in reversed(steps):
        chain = TracebackType(chain, step.tb_frame, step.tb_lasti, step.tb_lineno)
    return chain


def shorten(error: BaseException) -> BaseException:
    """The error, with callers' frames alone in its traceback and in those of what caused it."""
    shortened: set[int] = set()
    part: BaseException | None = error
    while part is not None and id(part) not in shortened:
        shortened.add(id(part))
        callers = of_callers(part, part.__traceback__)
        if callers is not None or part is not error:
            part.__traceback__ = callers
        part = part.__cause__ or (None if part.__suppress_context__ else part.__context__)
    return error


def _is_own(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0] == PACKAGE


def _is_library(frame: FrameType) -> bool:
    """True for Python's and NumPy's modules, which the package calls on its way."""
    name = str(frame.f_globals.get("__name__", "")).partition(".")[0]
    return name in sys.stdlib_module_names or name in ("numpy", "scipy")


def at_prompts() -> None:
    """Have Python's prompt, IPython and notebooks show callers' frames; nothing changes elsewhere."""
    if shows_all():
        return
    shell = ipython()
    if shell is not None and not shell.custom_exceptions:  # else somebody shows errors in another way
        shell.set_custom_exc((Exception,), _in_ipython)
    elif shell is None and hasattr(sys, "ps1"):
        shown = sys.excepthook

        def hook(kind: type[BaseException], error: BaseException, whole: TracebackType | None) -> Any:
            return shown(kind, error, shorten(error.with_traceback(whole)).__traceback__)

        sys.excepthook = hook


def _in_ipython(shell: Any, kind: Any, error: BaseException, whole: TracebackType, **_: Any) -> None:
    error = shorten(error.with_traceback(whole))
    shell.showtraceback((kind, error, error.__traceback__), running_compiled_code=True)
