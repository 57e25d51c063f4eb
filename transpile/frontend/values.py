"""What a Python expression of a formula is while it is read: an atom, or something only the reader sees."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..ir import Kind, Literal, Var

if TYPE_CHECKING:
    from .frame import Frame


# Which side of which `if` something stands in, outermost first.
Branch = tuple[tuple[int, bool], ...]


@dataclass(frozen=True)
class Items:
    """A tuple written out, whose elements are known one by one, and by names where it is a named tuple."""

    items: tuple[Value, ...]
    names: tuple[str, ...] = ()


@dataclass(eq=False)
class Growing:
    """A list written out. It has identity: two names may hold the same one, and statements append to it,
    in blocks as deep as `depth`.
    """

    items: list[Value] = field(default_factory=list)
    by_closure: bool = False
    depth: int = 0


@dataclass(frozen=True, eq=False)
class Function:
    """A nested `def` or lambda, or a helper of the module, with the frame that it sees."""

    node: ast.FunctionDef | ast.Lambda
    frame: Frame
    defaults: tuple[tuple[str, Value], ...] = ()
    order: int = 0
    branch: Branch = ()

    @property
    def name(self) -> str:
        """The function's name as written."""
        return "lambda" if isinstance(self.node, ast.Lambda) else self.node.name


@dataclass(frozen=True, eq=False)
class Choice:
    """One of two functions: `first` where the value that the frame holds under `test` is true."""

    test: str
    first: Function | Choice
    second: Function | Choice

    @property
    def name(self) -> str:
        """The name of the function that is met first."""
        return self.first.name

    def leaves(self) -> Iterator[Function]:
        """The functions that it may be."""
        for side in (self.first, self.second):
            if isinstance(side, Choice):
                yield from side.leaves()
            else:
                yield side


@dataclass(frozen=True, eq=False)
class LastTurn:
    """What a name holds after the loop that assigned it: the value of the last turn, which is at `place`
    among those of all `turns`, in the order of what was looped over.
    """

    turns: Var
    kind: Kind
    place: int = -1


@dataclass(frozen=True, eq=False)
class Backwards:
    """A list that grew in a loop over something reversed; `items` are in the order of that something."""

    items: Var


@dataclass(frozen=True)
class Dotted:
    """A module or function by its full name, not called yet; `text` is how it was written."""

    name: str
    text: str


@dataclass(frozen=True)
class Callee:
    """Another formula, not called yet."""

    name: str
    operands: tuple[str, ...] = ()
    attrs: tuple[str, ...] = ()
    results: int = 1
    result_is_tuple: bool = False


@dataclass(frozen=True)
class Poison:
    """A name whose value could not be read; the reason was reported, or is told where it is used."""

    why: str = ""
    code: str = "PB407"


Value = Var | Literal | Items | Growing | Backwards | Function | Choice | LastTurn | Dotted | Callee | Poison


def elements(value: Value) -> tuple[Value, ...] | None:
    """The elements of something whose length is known while reading, or None."""
    if isinstance(value, Items):
        return value.items
    if isinstance(value, Growing):
        return tuple(value.items)
    if isinstance(value, Literal) and isinstance(value.value, tuple):
        return tuple(Literal(item) for item in value.value)
    return None


def is_value(value: Value) -> bool:
    """True of a number, size, string, tuple: what carries no gradient."""
    if isinstance(value, Var):
        return value.kind in ("value", "none")
    if isinstance(value, Items | Growing):
        return all(is_value(item) for item in value.items)
    return isinstance(value, Literal)
