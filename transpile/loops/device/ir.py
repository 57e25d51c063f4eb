"""A program of kernels: loops over groups of entries, small, frozen and printable.

A kernel runs once for each entry of the shape `group`. Where it has a `whole`, each of them owns
the entries of `whole` that broadcast from it, its fibre: a row, everything, or what a gradient is summed
over. A reduction or an inner loop runs over the fibre, and its body stands at an entry of `whole`.

=========  ====================================================================
``Load``     an entry of a buffer, read as an array of a shape
``Compute``  an operator of entries, in the type `of`; the result is of type `dtype`
``Reduce``   a sum, product, maximum or minimum of a body's value over the fibre
``Length``   how many entries the fibre has
``Each``     a loop over the fibre
``Store``    an entry into a buffer
=========  ====================================================================
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal as OneOf

from ...ir import Source, Span
from ...ir.types import Shape, shape_text
from ...records import record

# How a buffer is indexed: by the entry's own number, by that of its group, the only entry, or through
# a map of positions, which `map` numbers among the kernel's maps.
Index = OneOf["", "entry", "group", "zero", "map"]
Role = OneOf["input", "output", "workspace"]
Fibre = OneOf["", "row", "all", "chunk", "map"]


@record(frozen=True, slots=True)
class Buffer:
    """Memory of entries of one type, without gaps, in the order of C."""

    name: str
    dtype: str
    shape: Shape
    role: Role

    def __str__(self) -> str:
        return f"{self.role} {self.name}: {self.dtype}[{shape_text(self.shape)}]"


@record(frozen=True, slots=True)
class Constant:
    """A number in an expression."""

    value: bool | int | float

    def __str__(self) -> str:
        return repr(self.value)


Operand = str | Constant


@record(frozen=True, slots=True)
class Load:
    """``out = buffer[...]``, read as an array of `shape` that broadcasts to the entries around it."""

    out: str
    buffer: str
    shape: Shape
    dtype: str
    index: Index = ""
    map: int = 0

    def __str__(self) -> str:
        place = f"map {self.map}" if self.index == "map" else self.index or shape_text(self.shape)
        return f"{self.out} = load {self.buffer}[{place}]"


@record(frozen=True, slots=True)
class Compute:
    """``out = op(args)``: operands have the type `of`, the result has `dtype`."""

    out: str
    op: str
    args: tuple[Operand, ...]
    dtype: str
    of: str
    span: Span | None = None

    def __str__(self) -> str:
        return f"{self.out}: {self.dtype} = {self.op}({', '.join(map(str, self.args))})"


@record(frozen=True, slots=True)
class Reduce:
    """``out`` is what `op` makes of `value` over the fibre, whose entries the body computes it for."""

    out: str
    op: OneOf["sum", "prod", "max", "min"]
    body: tuple[Statement, ...]
    value: str
    dtype: str
    span: Span | None = None

    def __str__(self) -> str:
        return f"{self.out}: {self.dtype} = {self.op} of {self.value} over the fibre"


@record(frozen=True, slots=True)
class Length:
    """``out`` is the number of entries of the fibre."""

    out: str
    dtype: str

    def __str__(self) -> str:
        return f"{self.out}: {self.dtype} = length of the fibre"


@record(frozen=True, slots=True)
class Each:
    """A loop over the fibre."""

    body: tuple[Statement, ...]

    def __str__(self) -> str:
        return "for each entry of the fibre"


@record(frozen=True, slots=True)
class Store:
    """``buffer[...] = value``, at the entry's own number or that of its group."""

    buffer: str
    value: str
    shape: Shape
    index: Index = ""
    span: Span | None = None

    def __str__(self) -> str:
        return f"store {self.buffer} = {self.value}"


Statement = Load | Compute | Reduce | Length | Each | Store


@record(frozen=True, slots=True)
class Kernel:
    """A loop over the entries of `group`. `maps` are from an entry's number to another, by two shapes."""

    name: str
    group: Shape
    body: tuple[Statement, ...]
    whole: Shape | None = None
    fibre: Fibre = ""
    maps: tuple[tuple[Shape, Shape], ...] = ()


@record(frozen=True, slots=True)
class Size:
    """A number that the host computes of shapes before kernels run: ``out = op(args)``.

    The operand of "size" is the shape of which it is the number of entries.
    """

    out: str
    op: str
    args: tuple[Operand | Shape, ...]


@record(frozen=True, slots=True)
class Program:
    """Kernels that run in order. `scalars` are given numbers; `results` name buffers or sizes."""

    name: str
    buffers: tuple[Buffer, ...]
    scalars: tuple[str, ...]
    sizes: tuple[Size, ...]
    kernels: tuple[Kernel, ...]
    results: tuple[str, ...]
    source: Source

    def buffer(self, name: str) -> Buffer:
        """The buffer of this name."""
        return next(buffer for buffer in self.buffers if buffer.name == name)


def every(body: tuple[Statement, ...]) -> Iterator[Statement]:
    """Statements in order, those of nested bodies before the one that holds them."""
    for statement in body:
        if isinstance(statement, (Reduce, Each)):
            yield from every(statement.body)
        yield statement


def program_text(program: Program) -> str:
    """A program as text, for `pullback dump` and for tests."""
    lines = [
        f"program {program.name}({', '.join(program.scalars)}) -> {', '.join(filter(None, program.results))}"
    ]
    lines += [f"  {buffer}" for buffer in program.buffers]
    lines += [
        f"  size {size.out} = {size.op}({', '.join(map(_argument, size.args))})" for size in program.sizes
    ]
    for kernel in program.kernels:
        over = (
            f" over {kernel.fibre or 'fibres'} of [{shape_text(kernel.whole)}]"
            if kernel.whole is not None
            else ""
        )
        lines.append(f"  kernel {kernel.name} for each of [{shape_text(kernel.group)}]{over}:")
        lines += _body(kernel.body, 4)
    return "\n".join(lines)


def _argument(argument: Operand | Shape) -> str:
    return str(argument) if isinstance(argument, (str, Constant)) else f"[{shape_text(argument)}]"


def _body(body: tuple[Statement, ...], width: int) -> list[str]:
    lines = []
    for statement in body:
        lines.append(" " * width + str(statement))
        if isinstance(statement, (Reduce, Each)):
            lines += _body(statement.body, width + 2)
    return lines
