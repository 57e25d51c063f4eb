"""Values of Python's expressions while a formula is read, and the frames of functions that hold them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ...ir import Kind, Literal, Span, Var
from ..names.bindings import Names
from ..syntax.text import FunctionNode, Text
from .builder import Builder

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
    in blocks as deep as `depth`. What a choice leaves is one of those that it `may_be`. For a `row` of a list
    of rows an array may stand; a loop that stays one collects what a list grows by in its iterations.
    """

    items: list[Value] = field(default_factory=list)
    by_closure: bool = False
    depth: int = 0
    may_be: tuple[Growing, ...] = ()
    row: bool = False
    collected: bool = False


@dataclass(frozen=True, eq=False)
class Keyed:
    """A dictionary written out, by keys that are known; a write makes a new one under the same name.

    What a choice leaves is one of those that it `may_be`.
    """

    keys: tuple[object, ...]
    items: tuple[Value, ...]
    may_be: tuple[Keyed, ...] = ()


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
class LastIteration:
    """The value of a name after the loop that assigned it: that of the last iteration, which is at `place`
    among those of all `iterations`, in the order of what was looped over.
    """

    iterations: Var
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
    """A name whose value could not be read; the reason was reported, or will be where it is used."""

    why: str = ""
    code: str = "PB407"
    hint: str = ""


Value = (
    Var
    | Literal
    | Items
    | Growing
    | Keyed
    | Backwards
    | Function
    | Choice
    | LastIteration
    | Dotted
    | Callee
    | Poison
)


class Readers(NamedTuple):
    """The readers of each kind of expression and statement, through which a reader calls those above it.

    An expression holds calls, a call reads a helper's statements, and statements hold expressions. A
    reader of a statement is given what follows it; a value that it gives is what the function returns.
    """

    expressions: Mapping[type[ast.expr], Callable[[Frame, Any, str | None], Value]]
    statements: Mapping[type[ast.stmt], Callable[[Frame, Any, Sequence[ast.stmt], str | None], Value | None]]


class Bound(NamedTuple):
    """When, where, and in which branch a name was bound."""

    tick: int
    span: Span
    branch: Branch


@dataclass
class Frame:
    """Names of a function while its body is read. `parent` is the function around it, `caller`
    the one that a helper was called in.

    `declared` are the names that Python makes local, bound yet or not.
    `arguments` are those of the call that is read.
    `bound` has when and where each name was bound, to see what happens after a capture.
    `place` is where all that is read here is said to stand: the call of a function of ours.
    """

    readers: Readers
    build: Builder
    text: Text
    names: Names
    local: dict[str, Value] = field(default_factory=dict)
    declared: frozenset[str] = frozenset()
    parent: Frame | None = None
    caller: Frame | None = None
    calls: tuple[FunctionNode, ...] = ()
    arguments: Mapping[str, Value] = field(default_factory=dict)
    loop_names: set[str] = field(default_factory=set)
    bound: dict[str, list[Bound]] = field(default_factory=dict)
    branch: Branch = ()
    place: Span | None = None

    def span(self, node: ast.AST) -> Span:
        """The place of a node in its file."""
        return self.place or self.text.span(node)

    def bind(self, name: str, value: Value, node: ast.AST) -> None:
        """Let a name hold a value from here on."""
        self.local[name] = value
        self.bound.setdefault(name, []).append(Bound(self.build.tick(), self.span(node), self.branch))

    @contextmanager
    def side(self, number: int, taken: bool) -> Iterator[None]:
        """Read a branch of the `if` of this number."""
        outer, self.branch = self.branch, (*self.branch, (number, taken))
        try:
            yield
        finally:
            self.branch = outer

    def holds(self, name: str) -> bool:
        """True where a name is local here, or to a function around."""
        frame: Frame | None = self
        while frame is not None:
            if name in frame.local or name in frame.declared:
                return True
            frame = frame.parent
        return False

    def note_use(self, value: Value, span: Span) -> None:
        """Remember where the closure first reads a variable of the forward."""
        if isinstance(value, Var) and value in self.build.forward_vars:
            self.build.used.setdefault(value, span)
        elif isinstance(value, Items | Growing | Keyed):
            for item in value.items:
                self.note_use(item, span)


def elements(value: Value) -> tuple[Value, ...] | None:
    """The elements of something whose length is known while reading, or None."""
    if isinstance(value, Items):
        return value.items
    if isinstance(value, Growing):
        return tuple(value.items)
    if isinstance(value, Literal) and isinstance(value.value, tuple):
        return tuple(Literal(item) for item in value.value)
    return None


def iterated(value: Value) -> tuple[Value, ...] | None:
    """The values that a loop goes over, where they are known while reading: of a dictionary the keys."""
    return tuple(map(Literal, value.keys)) if isinstance(value, Keyed) else elements(value)


def is_tensor(value: Value) -> bool:
    """True of what may carry a gradient, a list of tensors left out."""
    return isinstance(value, Var) and value.kind == "tensor"


def is_value(value: Value) -> bool:
    """True of a number, size, string, tuple: what carries no gradient."""
    if isinstance(value, Var):
        return value.kind in ("value", "none")
    if isinstance(value, Items | Growing):
        return all(is_value(item) for item in value.items)
    return isinstance(value, Literal)
