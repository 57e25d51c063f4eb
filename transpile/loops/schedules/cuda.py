"""The schedule of a kernel for CUDA: its passes as launches of kernels on the device, in order.

In: a kernel. Out: its program with launches in the place of lists of passes, where they are run:

* where shapes are as they mostly are, other passes;
* passes that follow each other row by row are one launch over rows, so that a softmax is one kernel; it
  sums what goes over all rows, as the gradient of a bias, in columns, where rows stay in registers;
* of any other pass, what it reduces to one shape is a launch over fibres, each of which becomes an entry of
  that shape; the first one writes what the pass does, which without such is a launch over entries. Where a
  pass only may reduce something, as a gradient of what may have been broadcast, and all its shapes turn out
  to be one, it is one launch over entries.

What is declared and asked for is left to the host that starts the launches. What touches data in another
way is refused, located.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from ...codes import diagnostic
from ...diagnostics import FormulaError
from ...ir import Span
from ...operators.scalar import CUDA
from ..expressions import (
    Ask,
    Braces,
    Call,
    Choice,
    Convert,
    Entry,
    Expression,
    Infix,
    Member,
    Name,
    New,
    Number,
    Prefix,
    SizeOf,
    call,
    every,
    names,
    run,
)
from ..kernels.likely import guessed
from ..lower.kernel import Kernel
from ..lower.schedule import program_of, questions
from ..passes.unused import without_unused
from ..runtime import describes
from ..statements import (
    Collect,
    Do,
    If,
    InSpace,
    KernelProgram,
    Launch,
    Let,
    Passes,
    Read,
    Reduce,
    Require,
    RunPasses,
    Scope,
    Space,
    Statement,
    Store,
    Write,
)
from .views import MEMORY, Views

# What the host of a launch gives a kernel.
_ASKED = MEMORY | {"input", "gradient", "like", "shape", "shape_if_any", "number", "integer", "output_value"}
# Functions that only describe, but whose data would be the host's; one that describes memory without gaps;
# one that only kernels in C++ begin with.
_OF_HOST = frozenset({"unpack", "constant", "zeros_of", "nothing"})
_OF_VIEWS = frozenset({"reshape"})
_OF_CPP = frozenset({"require_special"})
# What an element is computed with.
_COMPUTED = (Braces, Call, Choice, Convert, Entry, Infix, Name, Number, Prefix, SizeOf)


def scheduled(kernel: Kernel) -> KernelProgram:
    """The program of a kernel with its launches. Raises FormulaError, located, where CUDA has none for it."""
    program = program_of(kernel, "unused", ways=False)
    guess = guessed(kernel)
    schedule = _Schedule(kernel, program, may_be_alike=guess is None)
    body = schedule.statements()
    launches = [statement for statement in body if isinstance(statement, Launch)]
    if guess is not None and [launch.over for launch in launches] != ["entries"]:
        as_guessed = replace(kernel, inputs=guess.inputs, guess=None)
        way = _Schedule(as_guessed, program_of(as_guessed, "unused", ways=False), schedule.launches)
        body = [If(questions(guess, kernel), tuple(way.statements()), tuple(body))]
    return replace(program, body=without_unused(body))


class _Schedule:
    """The launches of a program under way."""

    def __init__(
        self, kernel: Kernel, program: KernelProgram, launches: int = 0, may_be_alike: bool = True
    ) -> None:
        self.kernel, self.program, self.may_be_alike = kernel, program, may_be_alike
        arrays = [entry for entry in kernel.inputs if not entry.is_number]
        shapes = {place: entry.shape for place, entry in enumerate(arrays) if entry.shape is not None}
        self.views = Views(program.body, shapes)
        self.types = {s.name: str(s.type) for s in program.body if isinstance(s, Let)}
        self.launches = launches

    def statements(self) -> list[Statement]:
        """The program's statements, with launches where passes are run."""
        made: list[Statement] = []
        listed: list[Space] = []
        for statement in self.program.body:
            if isinstance(statement, Space | Scope):
                spaces = statement.body if isinstance(statement, Scope) else (statement,)
                listed += [self._collected(space) for space in spaces if isinstance(space, Space)]
            elif isinstance(statement, RunPasses):
                made += self._launched(listed)
                listed = []
            elif isinstance(statement, Do) and _function_of(statement) == "fill":
                made += self._apart(_filling(statement.call))
            elif not isinstance(statement, Passes) and _function_of(statement) not in _OF_CPP:
                self._require_host(statement)
                made.append(statement)
        return made

    def _refuse(self, what: str, span: Span | None) -> FormulaError:
        hint = "the native target (C++) compiles it"
        message = f"{what} is not compiled for CUDA"
        where = span or self.kernel.span
        return FormulaError([diagnostic("PB501", message, where, name=self.kernel.name, hint=hint)])

    def _require_host(self, statement: Statement) -> None:
        """Raise FormulaError for a statement that touches data."""
        span = getattr(statement, "span", None)
        if not isinstance(statement, Let | Require | Do):
            raise self._refuse("what is decided or repeated while a kernel runs", span)
        whole = statement.call if isinstance(statement, Do) else None
        if whole is None:
            whole = statement.value if isinstance(statement, Let) else statement.condition  # type: ignore[union-attr]
        for part in every(whole):
            if isinstance(part, Call) and part.function not in _OF_VIEWS and _touches_data(part):
                raise self._refuse(f"`{part.function}`", span)
            if isinstance(part, Ask) and part.method not in _ASKED:
                raise self._refuse(f"`{part.method}`", span)

    def _collected(self, space: Space) -> Space:
        """The pass with a term for each reduction, and with nothing that CUDA has no function for."""
        sinks = {sink.name: replace(sink, source=None) for sink in space.sinks if isinstance(sink, Reduce)}
        body: list[InSpace] = [
            Collect(sinks[sink.name], Entry(sink.source, space.index))
            for sink in space.sinks
            if isinstance(sink, Reduce) and sink.source is not None
        ]
        for statement in _elements(space):
            self._require_device(statement)
            name = "" if isinstance(statement, Let) else _given(statement)
            body.append(Collect(sinks[name], statement.value, statement.span) if name in sinks else statement)
        reads = tuple(replace(read, looped=True) for read in space.reads)
        return replace(
            space, reads=reads, sinks=tuple(sinks.get(s.name, s) for s in space.sinks), body=tuple(body)
        )

    def _require_device(self, statement: InSpace) -> None:
        """Raise FormulaError for an element that CUDA does not compute."""
        for part in every(statement.value):
            if isinstance(part, Call) and part.function not in CUDA:
                raise self._refuse(f"`{part.function}`", statement.span)
            if not isinstance(part, _COMPUTED):
                raise self._refuse("such an element", statement.span)

    def _launched(self, spaces: Iterable[Space]) -> list[Launch | If]:
        """The launches of passes that are run together."""
        made: list[Launch | If] = []
        rows: _Rows | None = None
        for space in spaces:
            if rows is not None and rows.add(space):
                continue
            made += self._of_rows(rows)
            rows = _Rows(self.views, space)
        return made + self._of_rows(rows)

    def _of_rows(self, rows: _Rows | None) -> list[Launch | If]:
        """One launch for all that goes row by row, and those of the rest; or one with the rest in columns."""
        if rows is None:
            return []
        made: list[Launch | If] = []
        if rows.is_together:
            made.append(self._launch("rows", rows.shape, rows.spaces))
            parts = rows.rest
        else:
            parts = rows.whole
        for space in parts:
            made += self._apart(space)
        if not (last := rows.in_columns()):
            return made
        launch = self._launch("rows", rows.shape, [*rows.spaces, *last])
        columns = tuple(sink for space in last for sink in space.sinks if isinstance(sink, Reduce))
        way = made[0] if len(made) == 1 else None
        if isinstance(way, If) and way.otherwise is not None:
            return [replace(way, otherwise=(replace(launch, columns=columns, otherwise=way.otherwise),))]
        return [replace(launch, columns=columns, otherwise=tuple(made))]

    def _apart(self, space: Space) -> list[Launch | If]:
        """A launch for each shape that a pass reduces to, the first with what it writes; or one for that."""
        shape = run("broadcast", space.shape, *space.covers) if space.covers else space.shape
        totals = [sink for sink in space.sinks if isinstance(sink, Reduce)]
        if not totals:
            return [self._launch("entries", shape, [space])]
        first = self.views.extent(totals[0].view)
        sinks: dict[int, list[Write | Reduce]] = {}
        for sink in space.sinks:
            extent = self.views.extent(sink.view) if isinstance(sink, Reduce) else first
            sinks.setdefault(extent, []).append(sink)
        own = tuple(self._launch("fibres", shape, [only(space, found)]) for found in sinks.values())
        if not self.may_be_alike or any(self.views.is_reduced(total.view) for total in totals):
            return list(own)
        targets = tuple(
            Member(total.view, "shape")
            for total in {self.views.extent(total.view): total for total in totals}.values()
        )
        together = self._launch("entries", shape, [_written(space)])
        apart: tuple[Launch | If, ...] = own
        if len(targets) > 1:
            apart = (If((call("alike", *targets),), (self._launch("fibres", shape, [space]),), own),)
        return [If((call("alike", shape, *targets),), (together,), apart)]

    def _launch(self, over: str, shape: Expression, spaces: Sequence[Space]) -> Launch:
        self.launches += 1
        name = f"{self.program.name}_{self.launches}"
        read = tuple((number, self.types[number]) for number in _numbers(spaces))
        return Launch(name, over, shape, tuple(spaces), read)  # type: ignore[arg-type]


@dataclass
class _Rows:
    """Passes that follow each other row by row, from the first on.

    `spaces` are what they write and reduce of a row, `rest` what else, which is run after them; `whole` are
    the passes as they were.
    """

    views: Views
    first: Space
    spaces: list[Space] = field(default_factory=list)
    rest: list[Space] = field(default_factory=list)
    whole: list[Space] = field(default_factory=list)
    written: dict[int, Expression] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.shape = self.first.shape
        self.entries, self.row = self.views.number(self.shape), self.views.rows(self.shape)
        self.add(self.first)

    @property
    def is_together(self) -> bool:
        """True where one launch saves something: there is more to a row than what is reduced of it."""
        sinks = [sink for space in self.spaces for sink in space.sinks]
        reduces = any(isinstance(sink, Reduce) for sink in sinks)
        return reduces and (len(self.spaces) > 1 or any(isinstance(sink, Write) for sink in sinks))

    def add(self, space: Space) -> bool:
        """Take a pass in; not one over another shape, or that reads more of an earlier one than its row."""
        own = self._of_row(space) if all(map(self._is_there, space.reads)) else []
        if not own and self.whole:
            return False
        self.whole.append(space)
        rest = [sink for sink in space.sinks if sink not in own]
        if rest:
            self.rest.append(only(space, rest))
        if own:
            is_entries = self.views.number(space.shape) == self.entries
            shape = self.shape if is_entries else space.shape
            self.spaces.append(only(replace(space, shape=shape, reads=self._reads(space)), own))
            self.written |= {self.views.number(sink.view): sink.view for sink in own}
        return True

    def in_columns(self) -> list[Space]:
        """The passes of the rest as some of each row, where all of it may be totals over all rows."""
        sinks = [sink for space in self.rest for sink in space.sinks]
        if not self.spaces or not all(isinstance(sink, Reduce) and not sink.mean for sink in sinks):
            return []
        if any(space.covers or self.views.number(space.shape) != self.entries for space in self.rest):
            return []
        return [replace(space, shape=self.shape, reads=self._reads(space)) for space in self.rest]

    def _reads(self, space: Space) -> tuple[Read, ...]:
        """The values that a pass reads; those of an earlier pass by the name that that one has for them."""
        views = (self.written.get(self.views.number(each.view), each.view) for each in space.reads)
        return tuple(replace(each, view=view) for each, view in zip(space.reads, views, strict=True))

    def _of_row(self, space: Space) -> list[Write | Reduce]:
        """The sinks of a pass with one element for each entry or row of this shape."""
        number = self.views.number(space.shape)
        if space.covers or number not in (self.entries, self.row):
            return []
        reduced = self.row if number == self.entries else None
        return [
            sink
            for sink in space.sinks
            if self.views.extent(sink.view) == (reduced if isinstance(sink, Reduce) else number)
        ]

    def _is_there(self, read: Read) -> bool:
        """True where what is read was there before, or is of the row that was just made."""
        made = {name for space in self.whole for sink in space.sinks for name in self.views.memory(sink.view)}
        return not made & self.views.memory(read.view) or self.views.number(read.view) in self.written


def _numbers(spaces: Iterable[Space]) -> list[str]:
    """The numbers that passes read, by name."""
    read: dict[str, None] = {}
    for space in spaces:
        own = {row.name for row in space.reads} | {space.index}
        for statement in _elements(space):
            read |= dict.fromkeys(name for name in names(statement.value) if name not in own)
            if isinstance(statement, Let):
                own.add(statement.name)
    return list(read)


def only(space: Space, sinks: Sequence[Write | Reduce]) -> Space:
    """The part of a pass that these sinks need."""
    wanted = {sink.name for sink in sinks}
    body: list[InSpace] = []
    read: set[str] = set()
    for statement in reversed(_elements(space)):
        if _given(statement) in (read if isinstance(statement, Let) else wanted):
            body.append(statement)
            read |= set(names(statement.value))
    reads = tuple(each for each in space.reads if each.name in read)
    return replace(space, reads=reads, sinks=tuple(sinks), body=tuple(reversed(body)))


def _written(space: Space) -> Space:
    """The pass where each total has one term: it writes them."""
    sinks = tuple(Write(s.name, s.into, s.view) if isinstance(s, Reduce) else s for s in space.sinks)
    body = tuple(
        Store(each.sink.name, each.value, each.span) if isinstance(each, Collect) else each
        for each in _elements(space)
    )
    return replace(space, sinks=sinks, body=body)


def _given(statement: InSpace) -> str:
    """The name of the value, the row or the total that a statement gives."""
    match statement:
        case Let():
            return statement.name
        case Store():
            return statement.row
        case _:
            return statement.sink.name


def _elements(space: Space) -> tuple[InSpace, ...]:
    assert isinstance(space.body, tuple)
    return space.body


def _touches_data(call: Call) -> bool:
    return call.function in _OF_HOST or not describes(Call(call.function, ()))


def _function_of(statement: Statement) -> str:
    """The function of the runtime that a statement calls for what it does."""
    call = statement.call if isinstance(statement, Do) else None
    return call.function if isinstance(call, Call) else ""


def _filling(call: Expression) -> Space:
    """The pass that writes one number to a view."""
    assert isinstance(call, Call)
    _, view, value = call.args
    assert isinstance(value, New)
    (number,), kind = value.args, value.type
    assert isinstance(number, Number)
    assert isinstance(kind, str)
    sink = Write("filled", kind, view)
    return Space(
        "passes", Member(view, "shape"), (), (sink,), (Store("filled", replace(number, type=kind)),), "i"
    )
