"""Notes on the error of a failing backward that name its forward call, and anomaly mode, which shows more.

An error that is raised while a node runs carries a note with the operator, the
line of its call in the forward, and its formula. In anomaly mode the note
holds the whole stack of that call, and a gradient with a NaN is an error.
"""

from __future__ import annotations

import linecache
import sys
import traceback
from collections.abc import Sequence
from contextvars import ContextVar
from types import FrameType, TracebackType
from typing import Any

import numpy as np

from ..core.callsite import is_internal
from ..core.dispatch import available, load
from ..core.errors import AnomalyError, BarrierError, GraphFreedError, SavedVariableError

_MOST_NOTES = 3
_MARK = "while differentiating "

_enabled = False
_check_nan = False

# The recorded stack of the node that runs: nodes that its derivative records came from there.
RUNNING: ContextVar[str] = ContextVar("pullback_anomaly_running", default="")


def is_anomaly_enabled() -> bool:
    """True where anomaly mode is on.

    Examples
    --------
    >>> import pullback as pb
    >>> with pb.detect_anomaly():
    ...     pb.is_anomaly_enabled()
    True
    """
    return _enabled


def is_anomaly_check_nan_enabled() -> bool:
    """True where anomaly mode is on and checks for NaN.

    Examples
    --------
    >>> import pullback as pb
    >>> with pb.detect_anomaly(check_nan=False):
    ...     pb.is_anomaly_check_nan_enabled()
    False
    """
    return _check_nan


class set_detect_anomaly:
    """Switch anomaly mode on or off, for all threads.

    A plain call switches from here on; a ``with`` statement restores the mode
    before it at its end. See `detect_anomaly`.

    Parameters
    ----------
    mode : bool
        On or off.
    check_nan : bool, optional
        As in `detect_anomaly`.

    Examples
    --------
    >>> import pullback as pb
    >>> with pb.set_detect_anomaly(True):
    ...     pb.is_anomaly_enabled()
    True
    >>> pb.is_anomaly_enabled()
    False
    """

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self._before = _enabled, _check_nan
        _set(mode, mode and check_nan)

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _set(*self._before)


class detect_anomaly:
    """Inside a ``with`` block, remember the stack of each call that is recorded, for when its backward fails.

    Put it around the forward and the backward: an error of the backward then has a
    note with the stack of the forward call, its formula's line, and, for a backward
    that was recorded, where that came from. It costs a walk of the stack per call:
    a tool for finding errors, not for production. It holds for all threads.

    Parameters
    ----------
    check_nan : bool, optional
        Raise AnomalyError where a derivative gives a NaN, too.

    Raises
    ------
    AnomalyError
        From the backward, where `check_nan` finds one.

    Examples
    --------
    >>> import numpy as np, pullback as pb
    >>> x = pb.tensor([0.0], requires_grad=True)
    >>> try:
    ...     with pb.detect_anomaly():
    ...         (np.sqrt(x) * 0.0).sum().backward()
    ... except pb.errors.AnomalyError as error:
    ...     print(error)
    the derivative of sqrt gave nan for its input 0: 1 of 1 values
    """

    def __init__(self, check_nan: bool = True) -> None:
        self._check_nan = check_nan
        self._modes: list[set_detect_anomaly] = []

    def __enter__(self) -> None:
        self._modes.append(set_detect_anomaly(True, self._check_nan))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._modes.pop().__exit__(kind, error, trace)


def _set(enabled: bool, check_nan: bool) -> None:
    global _enabled, _check_nan
    _enabled, _check_nan = enabled, check_nan
    for name in available():
        load(name).set_anomaly(enabled, check_nan)


def stack() -> str:
    """The caller's frames outside of this package, as a traceback prints them, for a node to keep."""
    frames = []
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if not is_internal(frame):
            frames.append((frame, frame.f_lineno))
        frame = frame.f_back
    text = "".join(traceback.StackSummary.extract(reversed(frames)).format())
    running = RUNNING.get()
    return text + (f"recorded by a backward, of what was called here:\n{running}" if running else "")


class Running:
    """The derivative of a node runs, in anomaly mode: what it records came from the node's stack."""

    def __init__(self, forward_stack: str) -> None:
        self._forward_stack = forward_stack

    def __enter__(self) -> None:
        self._token = RUNNING.set(self._forward_stack)

    def __exit__(self, *error: object) -> None:
        RUNNING.reset(self._token)


def explain(error: BaseException, node: Any) -> None:
    """Note on an error where the node that ran was called and where its formula stands."""
    if _tells_itself(error) and not (_enabled or bool(getattr(node, "forward_stack", None))):
        return
    notes = getattr(error, "__notes__", ())
    if sum(note.startswith(_MARK) for note in notes) >= _MOST_NOTES:
        return  # backward in backward in backward: the innermost tell it all
    operator = getattr(node, "operator", None)
    if operator is None:
        return  # a leaf, or a barrier, whose error says it all
    text = f"{_MARK}{node.name}, called at {node.called_at}; formula at {operator.span}"
    source = _source_line(operator.span)
    if source:
        text += f"\n    {source}"
    stack = node.forward_stack
    if stack:
        text += f"\nthe forward call:\n{stack.rstrip()}"
    elif _enabled:
        text += "\nanomaly mode was off when it was called: put the forward into the with block, too"
    error.add_note(text)


def _tells_itself(error: BaseException) -> bool:
    """True for an error that names the call and the formula itself."""
    if isinstance(error, SavedVariableError):
        return "(formula at" in str(error)  # not one of a hook or a checkpoint
    return isinstance(error, (BarrierError, GraphFreedError))


def _source_line(span: Any) -> str:
    path, line = getattr(span, "path", ""), getattr(span, "line", 0)
    return linecache.getline(path, line).strip() if path else ""


def check_nan(node: Any, gradients: Sequence[Any]) -> None:
    """Raise AnomalyError for a NaN among the gradients that a node gave: arrays or tensors, or None."""
    for position, gradient in enumerate(gradients):
        if gradient is None:
            continue
        array = getattr(gradient, "_array", gradient)
        if array.dtype.kind == "f" and np.isnan(array).any():
            count = int(np.isnan(array).sum())
            raise AnomalyError(
                f"the derivative of {node.name} gave nan for its input {position}: {count} of "
                f"{array.size} values"
            )
