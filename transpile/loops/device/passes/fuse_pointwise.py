"""Entries are computed where they are read, in place of a load from a buffer of their own.

In: a kernel for each equation. Out: the kernels that something still needs: those that store an
output, reduce, or make what is read in another shape. A kernel that reads an entry of a
pointwise one at the same number computes it itself.

>>> from ..ir import program_text
>>> from ..examples import lowered
>>> print(program_text(fuse_pointwise(lowered("np.exp(x) * 2.0"))))
program example_forward() -> _2
  input x: float32[x]
  workspace _1: float32[x]
  output _2: float32[x]
  kernel _2 for each of [x]:
    x = load x[x]
    _1: float32 = exp(x)
    _2: float32 = multiply(_1, 2.0)
    store _2 = _2
"""

from __future__ import annotations

from dataclasses import replace

from ....ir.types import Shape
from ..ir import Compute, Each, Kernel, Load, Program, Reduce, Statement, Store, every
from ..spaces import canonical


def fuse_pointwise(program: Program) -> Program:
    """The program with pointwise kernels written out where their entries are read."""
    made = {
        s.buffer: kernel for kernel in program.kernels for s in every(kernel.body) if isinstance(s, Store)
    }
    order = {name: place for place, name in enumerate(made)}
    outputs = {buffer.name for buffer in program.buffers if buffer.role == "output"}
    needed = set(outputs)
    kept: list[Kernel] = []
    for kernel in reversed(program.kernels):
        stored = {s.buffer for s in every(kernel.body) if isinstance(s, Store)}
        if not stored & needed:
            continue
        expanded = replace(kernel, body=_expanded(kernel, kernel.body, kernel.group, made, order))
        needed |= {s.buffer for s in every(expanded.body) if isinstance(s, Load)}
        kept.append(expanded)
    return replace(program, kernels=tuple(reversed(kept)))


# What costs no more than a load: an entry that is broadcast is computed again rather than stored.
_CHEAP = frozenset({"add", "subtract", "multiply", "accumulate", "negative", "positive", "cast", "where"})
_FEW = 4


def _is_cheap(kernel: Kernel) -> bool:
    computed = [s for s in kernel.body if isinstance(s, Compute)]
    return len(computed) <= _FEW and all(s.op in _CHEAP for s in computed)


def _inlined(load: Load, space: Shape, made: dict[str, Kernel]) -> bool:
    """True where an entry that is loaded here can be computed here, at once."""
    kernel = made.get(load.buffer)
    if kernel is None or kernel.whole is not None or load.out != load.buffer:
        return False
    if kernel.group == space or canonical(kernel.group) == ():
        return True
    return _is_cheap(kernel) and load.shape == kernel.group


def _expanded(
    kernel: Kernel, body: tuple[Statement, ...], space: Shape, made: dict[str, Kernel], order: dict[str, int]
) -> tuple[Statement, ...]:
    """A body with what it loads computed in place."""
    wanted: dict[str, Load] = {}
    pending = [s for s in body if isinstance(s, Load)]
    while pending:
        load = pending.pop()
        if load.buffer in wanted or not _inlined(load, space, made):
            continue
        wanted[load.buffer] = load
        pending += [s for s in made[load.buffer].body if isinstance(s, Load)]
    statements: list[Statement] = []
    there: set[str] = set()

    def add(statement: Statement) -> None:
        name = getattr(statement, "out", "")
        if isinstance(statement, Load) and statement.out == statement.buffer and statement.buffer in wanted:
            return
        if name and name in there:
            return
        there.add(name)
        statements.append(statement)

    for name in sorted(wanted, key=order.__getitem__):
        for statement in made[name].body:
            if not isinstance(statement, Store):
                add(statement)
    for statement in body:
        if isinstance(statement, (Reduce, Each)):
            assert kernel.whole is not None
            inner = _expanded(kernel, statement.body, kernel.whole, made, order)
            statement = replace(statement, body=inner)
        add(statement)
    return tuple(statements)
