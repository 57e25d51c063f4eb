"""The backward that runs: which gradients are needed of it, whether it is recorded itself.

Outside of a backward all gradients are needed, nothing is recorded and nothing is retained.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Running:
    """The backward that runs.

    needed    by the identity of an input: whether its gradient is needed
    recorded  whether the backward is recorded, to be differentiated again
    retained  whether it may run once more
    """

    needed: Mapping[int, bool] = field(default_factory=dict)
    recorded: bool = False
    retained: bool = False


_OUTSIDE = Running()
_RUNNING: ContextVar[Running] = ContextVar("running", default=_OUTSIDE)


@contextmanager
def running(backward: Running) -> Iterator[None]:
    """Run the body as a part of this backward."""
    token = _RUNNING.set(backward)
    try:
        yield
    finally:
        _RUNNING.reset(token)


def needs_gradient(*inputs: Any) -> tuple[bool, ...]:
    """For each input of a formula whether its gradient is needed; of a list, whether any element's is.

    >>> needs_gradient([1.0], None)
    (True, False)
    """
    needed = _RUNNING.get().needed

    def of(given: Any) -> bool:
        if isinstance(given, list | tuple):
            return any(map(of, given))
        return given is not None and needed.get(id(given), True)

    return tuple(map(of, inputs))


def records_gradients() -> bool:
    """True where the backward is recorded: then it is made of functions that have derivatives."""
    return _RUNNING.get().recorded


def retains_graph() -> bool:
    """True where the backward may run once more: then it leaves what was saved as it is."""
    return _RUNNING.get().retained
