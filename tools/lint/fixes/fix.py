"""A fix: it takes the facts of a class and a finding about it, and changes the text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .text.place import Place


@dataclass(frozen=True)
class Fix:
    """A fix. It is safe where it changes no first derivative and takes nothing away that ran before.

    `silent`: where it cannot be made, nothing is said of it, for another fix follows. `first`: changes that
    the fix is made after, each in the text that comes of the one before.
    """

    apply: Callable[[Place], None]
    safe: bool
    what: str
    silent: bool = False
    first: tuple[Callable[[Place], None], ...] = ()
