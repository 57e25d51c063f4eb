"""The shared state of tensors over one memory: a version, and its readers.

The version counts in-place writes. A saved value remembers the version that it
saw; at unpacking a different one means that the value is no longer what the
derivative was recorded with.
"""

from __future__ import annotations

import weakref
from itertools import count
from typing import Any

import numpy as np

from ..core.callsite import callsite

Array = np.ndarray[Any, Any]

# A number that is higher than those of all writes before, and lower than those of all to come.
write_clock = count(1).__next__


def owner(array: Array) -> Array:
    """The array that owns the memory that this one looks at."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


class Storage:
    """One piece of memory.

    version    number of in-place writes
    written    "file:line by x += value" of the last one
    written_at its `write_clock`; 0 before the first
    saves      how many backward passes still need the values
    inference  made in inference mode: writes are not counted, and nothing may be saved
    """

    __slots__ = ("_exports", "inference", "saves", "version", "written", "written_at")

    def __init__(self, inference: bool = False) -> None:
        self.version = 0
        self.written = ""
        self.written_at = 0
        self.saves = 0
        self.inference = inference
        self._exports: tuple[weakref.ref[Array], ...] = ()

    def bump_version(self, what: str) -> None:
        """Count a write."""
        if not self.inference:
            self.version += 1
            self.written_at = write_clock()
            self.written = f"{callsite()} by {what}"

    def export(self, array: Array) -> Array:
        """A view to hand out, read-only while a backward needs the values."""
        view = array.view()
        if array.flags.writeable:
            view.flags.writeable = self.saves == 0
            alive = [ref for ref in self._exports if ref() is not None]
            self._exports = (*alive, weakref.ref(view))
        return view

    def keep(self) -> None:
        """A backward needs the values from now on."""
        self.saves += 1
        if self._exports:
            self._protect(True)

    def release(self) -> None:
        """That backward doesn't any more."""
        self.saves -= 1
        if self._exports and self.saves == 0:
            self._protect(False)

    def _protect(self, read_only: bool) -> None:
        for ref in self._exports:
            view = ref()
            if view is not None:
                view.flags.writeable = not read_only
