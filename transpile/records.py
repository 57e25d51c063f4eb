"""Frozen dataclasses that are made in a quarter of the time.

A pass makes thousands of equations, and Python takes most of the time that a frozen dataclass is
made in to get around its own lock. `record` leaves the lock to the type checkers, which read all
that is written here: to them it is `dataclass`, to be called with ``frozen=True, slots=True``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

__all__ = ["record"]

if TYPE_CHECKING:
    from dataclasses import dataclass as record
else:
    from dataclasses import dataclass

    def record(*, frozen: bool, slots: bool) -> object:
        """The decorator of a class whose instances nothing changes.

        >>> @record(frozen=True, slots=True)
        ... class Place:
        ...     line: int
        >>> Place(3), Place(3) == Place(3), len({Place(3), Place(3)})
        (Place(line=3), True, 1)
        """
        assert frozen, "what changes is a dataclass"

        def made(cls: type) -> type:
            return dataclass(slots=slots, unsafe_hash="__hash__" not in vars(cls))(cls)

        return made
