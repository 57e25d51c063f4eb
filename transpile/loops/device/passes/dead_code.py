"""Stores that nothing loads, values that nothing reads, and buffers without either, are gone.

>>> from ..ir import program_text
>>> from ..examples import lowered
>>> from .fuse_pointwise import fuse_pointwise
>>> print(program_text(without_dead_code(fuse_pointwise(lowered("np.exp(x) * 2.0")))))
program example_forward() -> _2
  input x: float32[x]
  output _2: float32[x]
  kernel _2 for each of [x]:
    x = load x[x]
    _1: float32 = exp(x)
    _2: float32 = multiply(_1, 2.0)
    store _2 = _2
"""

from __future__ import annotations

from dataclasses import replace

from ..ir import Compute, Each, Load, Program, Reduce, Statement, Store, every


def without_dead_code(program: Program) -> Program:
    """The program without what has no effect on its outputs."""
    outputs = {buffer.name for buffer in program.buffers if buffer.role == "output"}
    kernels = list(program.kernels)
    while True:
        read = outputs | {s.buffer for k in kernels for s in every(k.body) if isinstance(s, Load)}
        made = [replace(kernel, body=_live(kernel.body, read, set())) for kernel in kernels]
        made = [kernel for kernel in made if kernel.body]
        if made == kernels:
            break
        kernels = made
    used = read | {s.buffer for k in kernels for s in every(k.body) if isinstance(s, Store)}
    buffers = tuple(b for b in program.buffers if b.role != "workspace" or b.name in used)
    return replace(program, kernels=tuple(kernels), buffers=buffers)


def _live(body: tuple[Statement, ...], read: set[str], wanted: set[str]) -> tuple[Statement, ...]:
    """The statements that store what is read, or that those need; `wanted` gains what they read."""
    kept: list[Statement] = []
    for statement in reversed(body):
        if isinstance(statement, Store):
            if statement.buffer not in read:
                continue
            wanted.add(statement.value)
        elif isinstance(statement, Each):
            inner = _live(statement.body, read, wanted)
            if not inner:
                continue
            statement = replace(statement, body=inner)
        elif statement.out not in wanted:
            continue
        elif isinstance(statement, Reduce):
            wanted.add(statement.value)
            statement = replace(statement, body=_live(statement.body, read, wanted))
        elif isinstance(statement, Compute):
            wanted.update(arg for arg in statement.args if isinstance(arg, str))
        kept.append(statement)
    return tuple(reversed(kept))
