"""The rules of a valid program, checked after each pass in the tests, and in `pullback dump`.

Values are assigned before they are read, in the type that they are read in; loads broadcast to the
entries around them; stores go to entries of the same number; nothing reads a buffer that no kernel
before has stored; reductions and inner loops stand in kernels with a `whole`, at the outer level.
"""

from __future__ import annotations

from ...ir.types import Shape
from ...verify import InvalidIR
from .ir import Compute, Constant, Each, Kernel, Length, Load, Program, Reduce, Statement, Store, every
from .spaces import broadcasts, same_entries


def check(program: Program) -> Program:
    """The program itself, where it is valid. Raises InvalidIR."""
    names = [buffer.name for buffer in program.buffers]
    if len(set(names)) != len(names):
        raise InvalidIR(f"{program.name}: two buffers of one name")
    known = {buffer.name for buffer in program.buffers if buffer.role == "input"}
    numbers = {*program.scalars, *(size.out for size in program.sizes)}
    for kernel in program.kernels:
        _kernel(kernel, program, known, numbers)
        known |= {s.buffer for s in every(kernel.body) if isinstance(s, Store)}
    missing = {b.name for b in program.buffers if b.role == "output"} - known
    if missing:
        raise InvalidIR(f"{program.name}: nothing stores {sorted(missing)}")
    return program


def _kernel(kernel: Kernel, program: Program, known: set[str], numbers: set[str]) -> None:
    chunks = kernel.fibre == "chunk"
    if kernel.whole is not None and not chunks and not broadcasts(kernel.group, kernel.whole):
        raise InvalidIR(f"{kernel.name}: its groups do not broadcast to the whole")
    types = dict.fromkeys(numbers, "float64")
    _body(kernel, kernel.body, kernel.group, types, program, known)


def _body(
    kernel: Kernel,
    body: tuple[Statement, ...],
    space: Shape,
    types: dict[str, str],
    program: Program,
    known: set[str],
) -> None:
    for statement in body:
        if isinstance(statement, Load):
            if statement.buffer not in known:
                raise InvalidIR(f"{kernel.name} loads {statement.buffer}, which nothing has stored")
            if statement.dtype != program.buffer(statement.buffer).dtype:
                raise InvalidIR(f"{kernel.name} loads {statement.buffer} as {statement.dtype}")
            at_group = statement.index == "group"
            if (
                not at_group
                and not broadcasts(statement.shape, space)
                and not same_entries(statement.shape, space)
            ):
                raise InvalidIR(f"{kernel.name}: {statement} does not broadcast")
        elif isinstance(statement, Compute):
            _operands(kernel, statement, types)
        elif isinstance(statement, (Reduce, Each)):
            if kernel.whole is None or space is not kernel.group:
                raise InvalidIR(f"{kernel.name}: a loop over a fibre stands where there is none")
            inner = dict(types)
            _body(kernel, statement.body, kernel.whole, inner, program, known)
            if isinstance(statement, Reduce) and inner.get(statement.value) != statement.dtype:
                raise InvalidIR(f"{kernel.name}: {statement} is of another type")
        elif isinstance(statement, Store):
            if types.get(statement.value) != program.buffer(statement.buffer).dtype:
                raise InvalidIR(f"{kernel.name}: {statement} is of another type")
            if not same_entries(statement.shape, space):
                raise InvalidIR(f"{kernel.name}: {statement} is no entry of its own")
        if isinstance(statement, (Load, Compute, Reduce, Length)):
            types[statement.out] = statement.dtype


def _operands(kernel: Kernel, statement: Compute, types: dict[str, str]) -> None:
    for place, operand in enumerate(statement.args):
        if isinstance(operand, Constant):
            continue
        wanted = "bool" if statement.op == "where" and place == 0 else statement.of
        if operand not in types:
            raise InvalidIR(f"{kernel.name}: {statement} reads {operand} before it is assigned")
        if statement.op != "cast" and types[operand] != wanted:
            raise InvalidIR(f"{kernel.name}: {statement} reads {operand}, which is {types[operand]}")
