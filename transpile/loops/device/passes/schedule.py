"""The schedule of each kernel: its fibres, the indices of buffers, and totals in two steps.

In: fused kernels. Out: kernels that say of each load which entry it reads, by the entry's own number,
its group's, or a map; a reduction over everything is one over `CHUNKS` strided parts, and then
one over these.

>>> from ..ir import program_text
>>> from ..examples import lowered
>>> print(program_text(schedule(lowered("np.mean(x)"))))
program example_forward() -> _1
  input x: float32[x]
  output _1: float32[]
  workspace _1_sum_parts: float32[1024]
  size _1_length_n = size([x])
  kernel example_forward_0 for each of [1024] over chunk of [x]:
    _1_sum: float32 = sum of x over the fibre
      x = load x[entry]
    store _1_sum_parts = _1_sum
  kernel example_forward_1 for each of [] over all of [1024]:
    _1_sum: float32 = sum of _1_sum_parts over the fibre
      _1_sum_parts = load _1_sum_parts[entry]
    _1_length: float32 = cast(_1_length_n)
    _1: float32 = divide(_1_sum, _1_length)
    store _1 = _1
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from ....ir.types import Shape
from ..ir import Buffer, Compute, Each, Kernel, Length, Load, Program, Reduce, Size, Statement, Store
from ..spaces import canonical, fibre_of, same_entries

# Parts of a total, each of which one warp sums.
CHUNKS = 1024


def schedule(program: Program) -> Program:
    """The program with fibres, indices and maps decided, its kernels named in order."""
    buffers, sizes = list(program.buffers), list(program.sizes)
    kernels: list[Kernel] = []
    for kernel in program.kernels:
        for step in _steps(kernel, buffers, sizes):
            kernels.append(_indexed(replace(step, name=f"{program.name}_{len(kernels)}")))
    return replace(program, kernels=tuple(kernels), buffers=tuple(buffers), sizes=tuple(sizes))


def _steps(kernel: Kernel, buffers: list[Buffer], sizes: list[Size]) -> list[Kernel]:
    """The kernel, in two where it reduces everything; `buffers` and `sizes` gain what that takes."""
    if kernel.whole is None or fibre_of(kernel.group, kernel.whole) != "all":
        return [kernel]
    chunks: Shape = (CHUNKS,)
    parts: list[Statement] = []
    rest: list[Statement] = []
    for statement in kernel.body:
        if isinstance(statement, Reduce):
            part = Buffer(f"{statement.out}_parts", statement.dtype, chunks, "workspace")
            buffers.append(part)
            parts += [statement, Store(part.name, statement.out, chunks, span=statement.span)]
            load = Load(part.name, part.name, chunks, part.dtype)
            rest.append(replace(statement, body=(load,), value=part.name))
        elif isinstance(statement, Length):
            sizes.append(Size(f"{statement.out}_n", "size", (kernel.whole,)))
            rest.append(Compute(statement.out, "cast", (f"{statement.out}_n",), statement.dtype, "float64"))
        else:
            rest.append(statement)
    first = Kernel(kernel.name, chunks, tuple(parts), kernel.whole, "chunk")
    return [first, replace(kernel, group=(), body=tuple(rest), whole=chunks)]


@dataclass
class _Indices:
    """Indices of one kernel's loads; `maps` gains those that are neither an entry's nor a group's."""

    kernel: Kernel
    maps: list[tuple[Shape, Shape]] = field(default_factory=list)

    def body(self, body: tuple[Statement, ...], space: Shape, outer: bool) -> tuple[Statement, ...]:
        return tuple(self._statement(statement, space, outer) for statement in body)

    def _statement(self, statement: Statement, space: Shape, outer: bool) -> Statement:
        if isinstance(statement, (Reduce, Each)):
            assert self.kernel.whole is not None
            return replace(statement, body=self.body(statement.body, self.kernel.whole, False))
        if isinstance(statement, Store):
            return replace(statement, index="entry")
        return self._load(statement, space, outer) if isinstance(statement, Load) else statement

    def _load(self, load: Load, space: Shape, outer: bool) -> Load:
        if same_entries(load.shape, space):
            return replace(load, index="entry")
        if canonical(load.shape) == ():
            return replace(load, index="zero")
        if not outer and load.shape == self.kernel.group and self.kernel.fibre != "chunk":
            return replace(load, index="group")
        pair = (space, load.shape)
        if pair not in self.maps:
            self.maps.append(pair)
        return replace(load, index="map", map=self.maps.index(pair))


def _indexed(kernel: Kernel) -> Kernel:
    if kernel.whole is not None and not kernel.fibre:
        kernel = replace(kernel, fibre=fibre_of(kernel.group, kernel.whole))
    indices = _Indices(kernel)
    body = indices.body(kernel.body, kernel.group, True)
    return replace(kernel, body=body, maps=tuple(indices.maps))
