"""The intermediate representation: small, frozen, printable.

A formula is two blocks of equations in single assignment. The forward block
computes results from parameters; the pullback block computes one gradient per
differentiable parameter from one cotangent per result. The pullback names
values of the forward freely: those are its captures.

Structural operators, besides those of `operators`:

===================  =========================================================
``tuple, list``      build a tuple (a value) or a list of tensors
``slice``            ``slice(start, stop, step)``, a value
``item``             element of a tuple, a shape or a list
``shape ndim size dtype like``  metadata of a tensor, values; ``like`` is shape and dtype
``is_none``          true where an optional tensor or a gradient is absent
``isinstance``       ``isinstance(value, of="int tuple")``: an attribute is of one of these types
``if``               two blocks without parameters, one runs; they see the outer names
``for``              a loop: ``for(over, *start)``. `over` is a number of iterations or a list; its block
                     has parameters (item, *carried) and results (*next carried, *collected); its
                     outputs are the last carried values, then a list for each collected one, in
                     the order of the items, which ``reverse=True`` runs through backwards;
                     with ``until=True`` the first carried value is a number, and the loop ends
                     after the iteration that makes it another one than zero
``vjp``              ``vjp(*inputs, *cotangents)``: its block has a parameter for each input and a result for
                     each cotangent; its outputs are these results, then a gradient for each input.
                     Without ``create_graph=True`` they are constants. A pass writes it out
``raise``            ``raise(*arguments, exception=name)``: no outputs. A conditional or a loop
                     without outputs is there for the ``raise`` that it holds
``format``           ``format(template, *values)``: a text, a value, as `str.format` makes it
``opaque``           a call that the vocabulary does not know; ``callee`` says which
``sum_to``           ``sum_to(cotangent, like)``: reduce to the operand's shape and dtype
``accumulate``       sum of two cotangents of one value, equal in shape and dtype
``stop_gradient``    identity whose derivative is zero by intention
===================  =========================================================
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field, replace
from enum import Enum
from typing import Literal as OneOf
from typing import NamedTuple

from ..cells import place
from ..records import record
from .types import Type

Kind = OneOf["tensor", "list", "value", "none"]

# Operators of the IR itself, which no formula's operator is named like.
STRUCTURAL = frozenset(
    {"tuple", "list", "slice", "item", "shape", "ndim", "size", "dtype", "like", "is_none", "not_", "len"}
    | {"if", "for", "vjp", "raise", "format", "opaque", "range", "isinstance"}
    | {"sum_to", "accumulate", "stop_gradient"}
)


class Node:
    """A part of a formula: pickled by its fields in order, which is read three times as fast."""

    __slots__ = ()

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        names: tuple[str, ...] = self.__match_args__  # type: ignore[attr-defined]
        return type(self), tuple([getattr(self, name) for name in names])


@record(frozen=True, slots=True)
class Span(Node):
    """A place in a source file: lines count from 1, columns from 1."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int

    def __str__(self) -> str:
        return place(self.path, self.line, self.column)


@record(frozen=True, slots=True)
class Source(Node):
    """The text that a formula was read from. `first_line` is the file's line of its first line."""

    path: str
    text: str
    first_line: int = 1

    def line(self, number: int) -> str:
        """The source line with this number in the file, or an empty string."""
        # As Python counts lines: `splitlines` also splits at form feeds and some letters of Unicode.
        lines = self.text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        index = number - self.first_line
        return lines[index] if 0 <= index < len(lines) else ""


class _NameAndKind(NamedTuple):
    name: str
    kind: Kind = "tensor"
    temp: bool = False


class Var(_NameAndKind, Node):
    """A value, assigned once. `temp` marks a name that normalization made up.

    A tuple, because passes look variables up all the time, and a tuple's hash
    and comparison run no Python.
    """

    __slots__ = ()

    def __str__(self) -> str:
        return self.name


@record(frozen=True, slots=True)
class Literal(Node):
    """A constant: a number, bool, string, None, Ellipsis, a dtype's name, or a tuple of these.

    `strong` marks a number that NumPy holds as a float64 scalar, which widens
    float32 by NumPy's promotion rules, where a Python number does not.
    """

    value: object
    strong: bool = False

    def __str__(self) -> str:
        return repr(self.value)


Atom = Var | Literal


@record(frozen=True, slots=True)
class Eqn(Node):
    """``outs = op(*args, **kwargs)``, with nested blocks for control flow.

    An equation whose operator has hidden outputs may name them after its
    results: ``y, t = gelu(x)`` with one result.
    """

    outs: tuple[Var, ...]
    op: str
    args: tuple[Atom, ...] = ()
    kwargs: tuple[tuple[str, Atom], ...] = ()
    blocks: tuple[Block, ...] = ()
    span: Span | None = None

    def reads(self) -> list[Var]:
        """Variables that the equation reads itself, nested blocks not included."""
        read = []  # by loops: passes ask all the time, and a comprehension is a call
        for atom in self.args:
            if isinstance(atom, Var):
                read.append(atom)
        for _, atom in self.kwargs:
            if isinstance(atom, Var):
                read.append(atom)
        return read

    def every_read(self) -> list[Var]:
        """Variables that the equation reads itself, then those that its blocks read from outside of them."""
        return [*self.reads(), *(var for block in self.blocks for var in block.free())]

    def kwarg(self, name: str) -> Atom | None:
        """The keyword argument of this name, or None where it was not given."""
        for key, value in self.kwargs:
            if key == name:
                return value
        return None


@record(frozen=True, slots=True)
class Block(Node):
    """Parameters, equations in order, and results."""

    params: tuple[Var, ...]
    eqns: tuple[Eqn, ...]
    results: tuple[Atom, ...]

    def free(self) -> tuple[Var, ...]:
        """Variables read but not bound here, nested blocks included, in order of first use."""
        found: dict[Var, None] = {}
        self._find_free(set(self.params), found)
        return tuple(found)

    def _find_free(self, bound: set[Var], found: dict[Var, None]) -> None:
        """Adds what is read and not bound to `found`."""
        for eqn in self.eqns:
            for atom in eqn.args:
                if isinstance(atom, Var) and atom not in bound:
                    found[atom] = None
            for _, atom in eqn.kwargs:
                if isinstance(atom, Var) and atom not in bound:
                    found[atom] = None
            for block in eqn.blocks:
                block._find_free(bound.union(block.params), found)
            bound.update(eqn.outs)
        for atom in self.results:
            if isinstance(atom, Var) and atom not in bound:
                found[atom] = None

    def every(self) -> Iterator[Eqn]:
        """Equations in order, those of nested blocks before the equation that holds them."""
        for eqn in self.eqns:
            for block in eqn.blocks:
                yield from block.every()
            yield eqn

    def bound(self) -> Iterator[Var]:
        """Variables in the order in which they get their values, nested blocks included."""
        yield from self.params
        for eqn in self.eqns:
            for block in eqn.blocks:
                yield from block.bound()
            yield from eqn.outs


class Verdict(Enum):
    """The kind of a captured value, which decides how it is saved."""

    INPUT = "input"
    RESULT = "result"
    SIZE = "size"
    NOT_DIFFERENTIABLE = "not differentiable"
    VIEW = "view"
    INTERMEDIATE = "intermediate"
    OPAQUE = "opaque intermediate"
    FOREIGN = "foreign"


@record(frozen=True, slots=True)
class Capture(Node):
    """A free variable of the closure.

    `span` is its first use in the closure, `defined` where the forward binds
    it. `action` says what happens to it: "saved", "saved as a value",
    "promoted", "recomputed", "rule" (a hand-written one), "refused".
    """

    name: str
    verdict: Verdict
    span: Span
    defined: Span | None
    action: str
    reason: str = ""


@record(frozen=True, slots=True)
class Param(Node):
    """A parameter. `annotation` is the contract as written, "Tensor" where nothing is.

    An attribute is a value and has no gradient; a `keyword` one stands after ``*``.
    `optional` tensors may be None, `kind` "list" takes a list of tensors.
    """

    var: Var
    annotation: str = "Tensor"
    attribute: bool = False
    keyword: bool = False
    differentiable: bool = True
    optional: bool = False
    default: Literal | None = None


@record(frozen=True, slots=True)
class Options(Node):
    """The options of the decorator."""

    first_order_only: bool = False
    surrogate: bool = False
    complex: bool = False
    save: tuple[str, ...] = ()
    recompute: tuple[str, ...] = ()
    nondifferentiable: tuple[int, ...] = ()


@record(frozen=True, slots=True)
class Formula(Node):
    """An operator with its derivative.

    ``forward.results`` are the results, then (after promotion) the hidden
    outputs, then plain saved values (`plain` of them: sizes, masks).
    ``pullback.params`` are a cotangent per result, then one per hidden output
    (before promotion: one per hand-written rule, see `rules`).
    ``pullback.results`` are a gradient per differentiable parameter.
    `target` is the function that the formula stands for ("numpy.exp"). `barrier`
    says why second derivatives are refused; it is empty where they are not.
    `types` are those of parameters of which more is known than their annotations say.
    """

    name: str
    params: tuple[Param, ...]
    forward: Block
    pullback: Block | None
    source: Source
    span: Span
    target: str | None = None
    results: int = 1
    hidden: tuple[Var, ...] = ()
    plain: tuple[Var, ...] = ()
    rules: tuple[tuple[Var, Var], ...] = ()
    captures: tuple[Capture, ...] = ()
    options: Options = field(default_factory=Options)
    promoted: bool = False
    barrier: str = ""
    types: tuple[tuple[Var, Type], ...] = ()
    result_is_tuple: bool = False

    @property
    def inputs(self) -> tuple[Param, ...]:
        """Differentiable parameters, in order: the pullback returns a gradient for each."""
        return tuple(param for param in self.params if param.differentiable)

    @property
    def attributes(self) -> tuple[Param, ...]:
        """Keyword-only parameters."""
        return tuple(param for param in self.params if param.attribute)

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The forward, and the pullback where there is one."""
        return (self.forward,) if self.pullback is None else (self.forward, self.pullback)

    def every(self) -> Iterator[Eqn]:
        """All equations of its blocks, see `Block.every`."""
        for block in self.blocks:
            yield from block.every()

    @property
    def cotangents(self) -> tuple[Var, ...]:
        """The pullback's parameters; empty where the closure is still to be derived."""
        return self.pullback.params if self.pullback is not None else ()

    def evolve(self, **changes: object) -> Formula:
        """A copy with these fields changed."""
        return replace(self, **changes)  # type: ignore[arg-type]
