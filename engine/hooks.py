"""Functions that are called with a gradient on its way."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

Hook = Callable[[Any], Any]
_IDS = itertools.count()


class HookHandle:
    """What `register_hook` returns: `remove()` takes the hook away. Also a context manager."""

    __slots__ = ("_hooks", "_id")

    def __init__(self, hooks: dict[int, Hook], hook: Hook) -> None:
        self._hooks = hooks
        self._id = next(_IDS)
        hooks[self._id] = hook

    def remove(self) -> None:
        """Take the hook away; a second call does nothing."""
        self._hooks.pop(self._id, None)

    def __enter__(self) -> HookHandle:
        return self

    def __exit__(self, *error: object) -> None:
        self.remove()
