"""The context object of an autograd function: what is saved on it, and what is marked."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from ....transpile.ir import Span
from .values import Thing, Token


class Label(NamedTuple):
    """The text of an argument of ``save_for_backward``, and its place."""

    text: str
    span: Span


@dataclass(eq=False)
class Context:
    """All uses of a context, on all paths together.

    `labels`: for each saved tuple, its items as they are written. `twice`: second calls of
    ``save_for_backward`` on one path, with the places of the first. `names`: for each attribute that is
    set to a tuple, what its items are called there, "" for what is no name.
    """

    labels: dict[Thing, list[Label]] = field(default_factory=dict)
    saves: dict[Thing, Span] = field(default_factory=dict)
    names: dict[str, tuple[str, ...]] = field(default_factory=dict)
    set_at: dict[tuple[str, Thing], Span] = field(default_factory=dict)
    twice: list[tuple[Span, Span]] = field(default_factory=list)
    marked: set[Thing] = field(default_factory=set)
    dirty: set[Token] = field(default_factory=set)
    unmaterialized: Span | None = None
    asks_needs: bool = False
    writes: list[tuple[str, Span]] = field(default_factory=list)


class _Needed:
    """``ctx.needs_input_grad``: any of it is true, or no backward would run."""


NEEDED = _Needed()
SAVED = "saved_tensors"
READS_SAVED = frozenset({"saved_tensors", "saved_variables"})
