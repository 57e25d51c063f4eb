"""The printer: programs of loops as CUDA C++, which NVRTC and nvcc compile.

Each kernel is a template over the type of its indices, with two entry points: ``name_i32`` and
``name_i64``. Its parameters are the program's numbers that it reads, its buffers, the number of groups,
the length of a fibre, how many threads share one (`lanes`), and its maps; `signature` lists them.
Blocks have 256 threads. Compile with ``--fmad=false``: a contraction is not what the author wrote.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import copysign
from typing import NamedTuple

from ...ir import Source, Span
from ...loops.device.ir import (
    Compute,
    Constant,
    Each,
    Kernel,
    Length,
    Load,
    Operand,
    Program,
    Reduce,
    Statement,
    Store,
    every,
)
from ...operators.scalar import CUDA
from .names import Names
from .runtime import RUNTIME

C_TYPES = {"float32": "float", "float64": "double", "int64": "long long", "int32": "int", "bool": "bool"}
_START = {"sum": 0.0, "prod": 1.0, "max": float("-inf"), "min": float("inf")}


class Argument(NamedTuple):
    """A parameter of a kernel: what it is, its name in the program, and its type and name in CUDA."""

    kind: str
    name: str
    declaration: str
    cuda: str


def signature(program: Program, kernel: Kernel) -> list[Argument]:
    """A kernel's parameters in order: numbers, buffers, groups, length and lanes, maps."""
    names = Names()
    read: dict[str, None] = {}
    buffers: dict[str, bool] = {}
    scalars = {*program.scalars, *(size.out for size in program.sizes)}
    for statement in every(kernel.body):
        if isinstance(statement, Compute):
            read |= dict.fromkeys(arg for arg in statement.args if isinstance(arg, str) and arg in scalars)
        elif isinstance(statement, Load):
            buffers.setdefault(statement.buffer, False)
        elif isinstance(statement, Store):
            buffers[statement.buffer] = True
    found = [Argument("scalar", name, "double", names.value(name)) for name in read]
    for name, stored in buffers.items():
        kind = C_TYPES[program.buffer(name).dtype]
        declaration = f"{kind}* __restrict__" if stored else f"const {kind}* __restrict__"
        found.append(Argument("buffer", name, declaration, names.buffer(name)))
    found.append(Argument("groups", "", "I", "groups"))
    if kernel.whole is not None:
        found += [Argument("length", "", "I", "length"), Argument("lanes", "", "int", "lanes")]
    found += [Argument("map", str(k), "pb_map", f"map_{k}") for k in range(len(kernel.maps))]
    if kernel.fibre == "map":
        count = len(kernel.maps)
        found.append(Argument("map", str(count), "pb_map", "fibre_base"))
        found.append(Argument("map", str(count + 1), "pb_map", "fibre_step"))
    return found


def cuda_text(programs: Sequence[Program]) -> str:
    """The text of a file of these programs."""
    parts = [RUNTIME]
    for program in programs:
        parts.append(f"// {program.name}: {', '.join(filter(None, program.results))}\n")
        parts += [_Printer(program, kernel).text() for kernel in program.kernels]
    return "\n".join(parts)


class _Printer:
    """One kernel under way: `lines` is its text so far."""

    def __init__(self, program: Program, kernel: Kernel) -> None:
        self.program, self.kernel = program, kernel
        self.source: Source = program.source
        self.names = Names()
        self.lines: list[str] = []
        self.said: int | None = None

    def text(self) -> str:
        """The template and its entry points."""
        arguments = signature(self.program, self.kernel)
        parameters = _listed([f"{argument.declaration} {argument.cuda}" for argument in arguments])
        name = self.kernel.name
        self._add(0, "template <typename I>")
        self._add(0, f"__device__ __forceinline__ void {name}({parameters}) {{")
        if self.kernel.whole is None:
            self._add(1, "const I threads = static_cast<I>(gridDim.x) * blockDim.x;")
            self._add(1, "I group = static_cast<I>(blockIdx.x) * blockDim.x + threadIdx.x;")
            self._add(1, "for (; group < groups; group += threads) {")
            self._body(self.kernel.body, 2, "group", "")
        else:
            self._add(1, "const int lane = threadIdx.x % lanes;")
            self._add(1, "const I together = static_cast<I>(blockDim.x / lanes);")
            self._add(1, "I first = static_cast<I>(blockIdx.x) * together;")
            self._add(1, "for (; first < groups; first += static_cast<I>(gridDim.x) * together) {")
            self._add(2, "const I mine = first + static_cast<I>(threadIdx.x / lanes);")
            self._add(
                2,
                "const bool active = mine < groups;  // others follow the last group, and store nothing",
            )
            self._add(2, "const I group = active ? mine : groups - 1;")
            self._body(self.kernel.body, 2, "group", "active && lane == 0")
        self._add(1, "}")
        self._add(0, "}")
        for suffix, index in (("i32", "int"), ("i64", "long long")):
            kinds = [index if a.declaration == "I" else a.declaration for a in arguments]
            own = _listed([f"{kind} {a.cuda}" for kind, a in zip(kinds, arguments, strict=True)])
            call = _listed([argument.cuda for argument in arguments])
            self._add(0, f'extern "C" __global__ void __launch_bounds__(256) {name}_{suffix}({own}) {{')
            self._add(1, f"{name}<{index}>({call});")
            self._add(0, "}")
        return "\n".join(self.lines) + "\n"

    def _add(self, depth: int, line: str) -> None:
        self.lines.append("    " * depth + line)

    def _say(self, depth: int, span: Span | None) -> None:
        """The author's line, where it is another than the last one."""
        if span is None or span.line == self.said:
            return
        self.said = span.line
        text = self.source.line(span.line).strip().rstrip("\\")
        if text and span.path == self.source.path:
            self._add(depth, f"// line {span.line}: {text}")

    def _body(self, body: Sequence[Statement], depth: int, position: str, guard: str) -> None:
        for statement in body:
            if isinstance(statement, Load):
                self._load(statement, depth, position)
            elif isinstance(statement, Compute):
                self._say(depth, statement.span)
                kind = C_TYPES[statement.dtype]
                self._add(
                    depth, f"const {kind} {self.names.value(statement.out)} = {self._expression(statement)};"
                )
            elif isinstance(statement, Reduce):
                self._reduce(statement, depth)
            elif isinstance(statement, Length):
                kind = C_TYPES[statement.dtype]
                self._add(
                    depth, f"const {kind} {self.names.value(statement.out)} = static_cast<{kind}>(length);"
                )
            elif isinstance(statement, Each):
                self._fibre(statement.body, depth, "active")
                self._add(depth, "}")
            else:
                self._store(statement, depth, position, guard)

    def _load(self, load: Load, depth: int, position: str) -> None:
        places = {"entry": position, "group": "group", "zero": "0"}
        place = f"pb_at(map_{load.map}, {position})" if load.index == "map" else places[load.index]
        kind = C_TYPES[load.dtype]
        self._add(
            depth, f"const {kind} {self.names.value(load.out)} = {self.names.buffer(load.buffer)}[{place}];"
        )

    def _store(self, store: Store, depth: int, position: str, guard: str) -> None:
        when = f"if ({guard}) " if guard else ""
        self._add(
            depth, f"{when}{self.names.buffer(store.buffer)}[{position}] = {self.names.value(store.value)};"
        )

    def _fibre(self, body: Sequence[Statement], depth: int, guard: str) -> None:
        """The head and body of a loop over the fibre; the caller ends it."""
        kind = self.kernel.fibre
        if kind == "chunk":
            self._add(
                depth, "for (I entry = group * lanes + lane; entry < length; entry += lanes * groups) {"
            )
        else:
            self._add(depth, "for (I step = lane; step < length; step += lanes) {")
            places = {"all": "step", "row": "group * length + step"}
            place = places.get(kind, "pb_at(fibre_base, group) + pb_at(fibre_step, step)")
            self._add(depth + 1, f"const I entry = {place};")
        self._body(body, depth + 1, "entry", guard)

    def _reduce(self, reduce: Reduce, depth: int) -> None:
        self._say(depth, reduce.span)
        out, kind = self.names.value(reduce.out), C_TYPES[reduce.dtype]
        start = constant(_START[reduce.op], reduce.dtype)
        total = f"{out}_lane"
        self._add(depth, f"{kind} {total} = {start};")
        self._fibre(reduce.body, depth, "")
        self._add(depth + 1, f"{total} = pb_{reduce.op}()({total}, {self.names.value(reduce.value)});")
        self._add(depth, "}")
        self._add(depth, f"const {kind} {out} = pb_across({total}, lanes, pb_{reduce.op}());")

    def _expression(self, compute: Compute) -> str:
        if compute.op == "cast":
            value = self._operand(compute.args[0], compute.of)
            return (
                f"{value} != 0"
                if compute.dtype == "bool"
                else f"static_cast<{C_TYPES[compute.dtype]}>({value})"
            )
        kinds = ["bool" if compute.op == "where" else compute.of, compute.of, compute.of]
        args = [self._operand(arg, kind) for arg, kind in zip(compute.args, kinds, strict=False)]
        return CUDA[compute.op].format(*args)

    def _operand(self, operand: Operand, kind: str) -> str:
        if isinstance(operand, Constant):
            return constant(operand.value, kind)
        return self.names.value(operand)


def _listed(items: Sequence[str]) -> str:
    """Items of a list: in one line where there are few, else in lines of their own."""
    line = ", ".join(items)
    return line if len(line) < 60 else "\n    " + ",\n    ".join(items)


def constant(value: bool | int | float, kind: str) -> str:
    """A number of this type in CUDA.

    >>> constant(0.5, "float32"), constant(-2, "float64"), constant(True, "bool")
    ('0.5f', '(-2.0)', 'true')
    """
    if kind == "bool":
        return "true" if value else "false"
    if kind in ("int32", "int64"):
        return f"static_cast<{C_TYPES[kind]}>({int(value)}LL)"
    single = kind == "float32"
    if value != value:
        return "__int_as_float(0x7fffffff)" if single else "__longlong_as_double(0x7fffffffffffffffLL)"
    if value in (float("inf"), float("-inf")):
        infinity = "__int_as_float(0x7f800000)" if single else "__longlong_as_double(0x7ff0000000000000LL)"
        return infinity if value > 0 else f"(-{infinity})"
    text = f"{float(value)!r}{'f' if single else ''}"
    return f"({text})" if copysign(1, value) < 0 else text
