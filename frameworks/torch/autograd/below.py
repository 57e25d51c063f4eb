"""Calls of ATen below autograd: with PyTorch's version counters and its knowledge of views, and no more."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.utils._python_dispatch import _get_current_dispatch_mode_stack

_C = torch._C
_KEY = _C.DispatchKey
AUTOGRAD = _C.DispatchKeySet(_KEY.AutogradFunctionality)
for _key in (_KEY.AutogradOther, _KEY.AutogradNestedTensor, _KEY.ADInplaceOrView):
    AUTOGRAD = AUTOGRAD | _C.DispatchKeySet(_key)


class _Inside(threading.local):
    below = False


_INSIDE = _Inside()


def is_below() -> bool:
    """True inside of `below`: nothing is recorded there, by no recording."""
    return _INSIDE.below


def _excluded() -> Any:
    """The keys that calls skip inside of a mode, but for those that resolve lazy conjugates."""
    excluded = _C._dispatch_tls_local_exclude_set() | AUTOGRAD
    for key in (_KEY.Conjugate, _KEY.Negative, _KEY.ZeroTensor):
        excluded = excluded.remove(key)
    return excluded


@contextmanager
def decomposing(mode: Any) -> Iterator[None]:
    """A context in which the mode gets the calls that a composite operator makes."""
    excluded = _excluded()
    if torch.is_autocast_enabled("cpu"):
        excluded = excluded.remove(_KEY.AutocastCPU)
    with _C._ForceDispatchKeyGuard(_C._dispatch_tls_local_include_set(), excluded), mode:
        yield


@contextmanager
def below() -> Iterator[None]:
    """A context of a recorded call's own work: writes are counted and views known, nothing is recorded."""
    excluded = _excluded().remove(_KEY.ADInplaceOrView)
    before, _INSIDE.below = _INSIDE.below, True
    try:
        with _C._ForceDispatchKeyGuard(_C._dispatch_tls_local_include_set(), excluded):
            yield
    finally:
        _INSIDE.below = before


@contextmanager
def recording(mode: Any) -> Iterator[None]:
    """A context in which calls are recorded by a mode, in the place of PyTorch's autograd.

    None is for a backward without a recorded call, which has nothing to run.
    """
    before, _INSIDE.below = _INSIDE.below, False
    try:
        with _C._ExcludeDispatchKeyGuard(AUTOGRAD), torch.enable_grad(), _C.DisableTorchFunction():
            if mode is None or mode in _get_current_dispatch_mode_stack():
                yield
            else:
                with mode:
                    yield
    finally:
        _INSIDE.below = before


@contextmanager
def not_recording() -> Iterator[None]:
    """A context in which nothing is recorded, by nobody."""
    with torch.no_grad(), _C.DisableTorchFunction():
        yield
