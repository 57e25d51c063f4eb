"""A stage: one pass over a broadcast space, with everything that is computed and stored on the way."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ...analysis.costs import MOVE, WORK
from ...ir import Atom, Eqn, Literal, Var
from ...records import record
from . import extents
from .facts import Fact, Leaf
from .lanes import Expr, lane
from .names import Names
from .totals import Reduce, begin, collect, finish, is_extreme, over
from .types import of_literal, stored

LINE_WIDTH = 100


@record(frozen=True, slots=True)
class Store:
    """Write a value to the view that `target` spells."""

    value: Atom
    target: str
    name: str
    type: str


@dataclass(slots=True)
class Stage:
    """Sinks that share a loop over the broadcast of `leaves`, which `shape` spells in the end."""

    level: int
    sinks: list[Store | Reduce] = field(default_factory=list)
    leaves: list[Leaf] = field(default_factory=list)
    covers: list[str] = field(default_factory=list)
    shape: str = ""

    @property
    def reduces(self) -> bool:
        """Whether some sink is a reduction."""
        return any(isinstance(sink, Reduce) for sink in self.sinks)


class StageText:
    """The C++ of one stage.

    `find` gives the fact that holds for a variable at the stage's level,
    `order` its place in the kernel, `comment` the source line of an equation, or
    None where it was just shown. Where `by_rows` allows it, and something has
    one element for all of a row, the loop goes by rows.
    """

    def __init__(
        self,
        stage: Stage,
        names: Names,
        find: Callable[[Var], Fact],
        order: Callable[[Atom], int],
        comment: Callable[[Eqn], str | None],
        index: str,
        depth: int,
        by_rows: bool = False,
    ) -> None:
        self.stage = stage
        self.names = names
        self.find = find
        self.comment = comment
        self.index = index
        self.depth = depth
        self.reads: dict[Var, Fact] = {}
        self.eqns: list[Eqn] = []
        self.uses: dict[Var, int] = {}
        for sink in stage.sinks:
            self._collect(sink.value)
        read = {names.of(var) for var in self.reads}  # what an earlier stage has stored under its own name
        stage.sinks = [
            replace(sink, name=names.fresh(f"{sink.name}_out")) if sink.name in read else sink
            for sink in stage.sinks
        ]
        stage.sinks.sort(key=lambda sink: order(sink.value))
        self.eqns.sort(key=lambda eqn: order(eqn.outs[0]))
        self.reads = dict(sorted(self.reads.items(), key=lambda item: order(item[0])))
        self.once: set[Var] = set()
        self.totals: list[Reduce] = []
        if by_rows and not extents.is_once(extents.join(leaf.shape for leaf in stage.leaves)):
            self.once = {var for var, fact in self.reads.items() if extents.is_once(fact.shape)}
            self.totals = [sink for sink in stage.sinks if isinstance(sink, Reduce) and sink.once]
        self.looped = [sink for sink in stage.sinks if self._source(sink) is None]

    def _collect(self, value: Atom) -> None:
        """Count the uses of what computes a value, and list its reads and equations, operands first."""
        waiting: list[Atom | Eqn] = [value]
        while waiting:
            entry = waiting.pop()
            if isinstance(entry, Eqn):
                self.eqns.append(entry)
                continue
            atom = self._computed(entry)
            if not isinstance(atom, Var):
                continue
            self.uses[atom] = self.uses.get(atom, 0) + 1
            if self.uses[atom] > 1:
                continue
            fact = self.find(atom)
            if fact.kind == "array":
                self.reads[atom] = fact
            elif fact.kind == "lane" and fact.eqn is not None:
                waiting += [fact.eqn, *reversed(fact.eqn.args)]

    def _computed(self, var: Atom) -> Atom:
        """The variable whose equation computes this one: another where this is that one under a new name."""
        if not isinstance(var, Var):
            return var
        fact = self.find(var)
        return fact.eqn.outs[0] if fact.kind == "lane" and fact.eqn is not None else var

    @property
    def operands(self) -> int:
        """How many arrays walk the stage's space."""
        return len(self.reads) + len(self.stage.sinks)

    def _source(self, sink: Store | Reduce) -> Var | None:
        """What is read whose rows are the terms of a reduction as they are, so that no loop writes them."""
        value = sink.value
        if not isinstance(sink, Reduce) or not isinstance(value, Var) or value not in self.reads:
            return None
        fits = sink not in self.totals and value not in self.once
        return value if fits and stored(self.reads[value].type) == sink.term else None

    def lines(self, passes: str, call: Sequence[str] = ()) -> list[str]:
        """The stage as a pass of the list that `passes` names; `call` does the work of its loop, if given."""
        return [*self._declarations(passes), *(self._calling(call) if call else self._loop())]

    def _calling(self, call: Sequence[str]) -> list[str]:
        lines = ["space.each([=](pb::Loop& loop) {", "    while (loop.next()) {"]
        return [*lines, *(f"        {line}" for line in call), "    }", "});"]

    def _declarations(self, passes: str) -> list[str]:
        stage = self.stage
        lines = [f"pb::Space& space = {passes}.space({stage.shape});"]
        for shape in dict.fromkeys(stage.covers):
            lines.append(f"space.cover({shape});")
        lines += self._numbers()
        for var, fact in self.reads.items():
            read = "read_once" if var in self.once else "read"
            lines += wrap(f"space.{read}(", [self._rows(var), fact.text], ");", self.depth)
        for sink in stage.sinks:
            rows = f"{sink.name}_rows"
            if isinstance(sink, Store):
                lines += wrap("space.write(", [rows, sink.target], ");", self.depth)
            else:
                reduce = "reduce_once" if sink in self.totals else "reduce"
                arguments = [rows, sink.target, *(["true"] if sink.mean else [])]
                lines += wrap(f"space.{reduce}<pb::{sink.op}<{sink.term}>>(", arguments, ");", self.depth)
            source = self._source(sink)
            if source is not None:
                lines.append(f"space.terms({rows}, {self._rows(source)});")
        return lines

    def _numbers(self) -> list[str]:
        """The constants that say which number each operand has."""
        kinds = {self._rows(var): f"const {stored(fact.type)}" for var, fact in self.reads.items()}
        for sink in self.stage.sinks:
            kinds[f"{sink.name}_rows"] = sink.type if isinstance(sink, Store) else sink.term
        return numbers(kinds)

    def _rows(self, var: Var) -> str:
        return f"{self.names.of(var)}_rows"

    def _loop(self) -> list[str]:
        if not self.looped:
            return ["space.no_loop();"]
        inner = "                "
        rows = bool(self.once or self.totals)
        lines = ["space.each_row([=](auto& loop) {" if rows else "space.each([=](pb::Loop& loop) {"]
        if rows and self._is_long():
            lines.insert(0, "space.computes_long();")
        lines.append("    while (loop.next()) {")
        for var, fact in self._read_in_loop():
            name, kind = self.names.of(var), f"const {stored(fact.type)}*"
            row = f"auto {name} = loop.once" if var in self.once else f"{kind[6:]} {name} = loop.row"
            lines.append(f"        const {row}({self._rows(var)});")
        for sink in self.looped:
            kind = sink.type if isinstance(sink, Store) else sink.term
            lines.append(f"        {kind}* {sink.name}_row = loop.row({sink.name}_rows);")
        for total in self.totals:
            lines += [f"        {line}" for line in begin(total)]
        clauses = over(self.totals)
        lines += wrap("        PB_SIMD_OVER(", clauses, ")", self.depth) if clauses else ["        PB_SIMD"]
        lines.append(f"        for (int64_t {self.index} = 0; {self.index} < loop.size; ++{self.index}) {{")
        lines += [inner[4:] + line for line in self.body()]
        lines.append("        }")
        lines += [f"        {finish(total)}" for total in self.totals]
        return [*lines, "    }", "});"]

    def _is_long(self) -> bool:
        """Whether what is read next could come meanwhile: the loop computes, and stores no rows."""
        stores = any(sink not in self.totals for sink in self.stage.sinks)
        return not stores and sum(WORK.get(eqn.op, 0.0) for eqn in self.eqns) >= MOVE

    def _read_in_loop(self) -> list[tuple[Var, Fact]]:
        """The arrays that the loop reads: the others are only reduced."""
        reduced = [self._source(sink) for sink in self.stage.sinks]
        return [(var, fact) for var, fact in self.reads.items() if self.uses[var] > reduced.count(var)]

    def body(self) -> list[str]:
        """The statements for one element."""
        lines: list[str] = []
        exprs: dict[Var, Expr] = {}
        for var, fact in self.reads.items():
            exprs[var] = Expr(f"{self.names.of(var)}[{self.index}]", stored(fact.type))
        pending = list(self.looped)
        for sink in list(pending):
            if (
                not isinstance(sink.value, Var)
                or sink.value in self.reads
                or self.find(sink.value).kind != "lane"
            ):
                lines += self._store(sink, self._operand(sink.value, exprs))
                pending.remove(sink)
        for eqn in self.eqns:
            (out,) = eqn.outs
            fact = self.find(out)
            expr = lane(eqn.op, [self._operand(atom, exprs) for atom in eqn.args], fact.type)
            sinks = [
                sink for sink in pending if isinstance(sink.value, Var) and self._computed(sink.value) == out
            ]
            if (
                eqn.op in ("positive", "stop_gradient")
                and not sinks
                and expr == self._operand(eqn.args[0], exprs)
            ):
                exprs[out] = expr
                continue
            if not sinks and self._folds(out, expr):
                exprs[out] = expr
                continue
            said = self.comment(eqn)
            if sinks and self.uses[out] == 1 and not (sinks[0] in self.totals and is_extreme(sinks[0])):
                lines += [said] if said else []
                lines += self._store(sinks[0], expr)
            else:
                lines += [said] if said else []
                name = self.names.of(out)
                lines += assignment(f"const {stored(fact.type)} {name} = ", expr.text, self.depth + 3)
                exprs[out] = Expr(name, stored(fact.type))
                for sink in sinks:
                    lines += self._store(sink, exprs[out])
            for sink in sinks:
                pending.remove(sink)
        return lines

    def _folds(self, out: Var, expr: Expr) -> bool:
        """Whether a made-up value stands in the expression that reads it, as it did in Python."""
        return out.temp and self.uses[out] == 1 and len(expr.text) < 44

    def _store(self, sink: Store | Reduce, expr: Expr) -> list[str]:
        kind = sink.type if isinstance(sink, Store) else sink.term
        text = expr.to(kind).text
        if isinstance(sink, Store) or sink not in self.totals:
            return assignment(f"{sink.name}_row[{self.index}] = ", text, self.depth + 3)
        lines = wrap(*collect(sink, self.index, text), ");", self.depth + 3)
        return [*lines, f"{sink.name}_nans |= {text} != {text};"] if is_extreme(sink) else lines

    def _operand(self, atom: Atom, exprs: dict[Var, Expr]) -> Expr:
        atom = self._computed(atom)
        if isinstance(atom, Literal):
            kind = of_literal(atom)
            return Expr("", "none") if kind is None else Expr(repr(atom.value), kind, 1, atom.value)
        if atom in exprs:
            return exprs[atom]
        fact = self.find(atom)
        if fact.literal is not None:
            return Expr(repr(fact.literal), fact.type, 1, fact.literal)
        return Expr(fact.text, fact.type, fact.precedence)


def numbers(kinds: Mapping[str, str]) -> list[str]:
    """Constants of operands, by the types of their rows, numbered from 0.

    >>> numbers({"x_rows": "const T"})
    ['static constexpr pb::Rows<const T> x_rows{0};']
    """
    numbered = enumerate(kinds.items())
    return [f"static constexpr pb::Rows<{kind}> {name}{{{k}}};" for k, (name, kind) in numbered]


def wrap(head: str, arguments: Sequence[str], tail: str, depth: int) -> list[str]:
    """A call on one line where it fits, else broken as clang-format would break it."""
    room = LINE_WIDTH - 4 * depth
    text = head + ", ".join(arguments) + tail
    if len(text) <= room:
        return [text]
    words = [argument + "," for argument in arguments[:-1]] + [arguments[-1] + tail]
    name, equals, callee = head.partition(" = ")
    ways = [_fill(head, words, room)]
    if equals:
        ways.append([f"{name} =", *_fill(f"    {callee}", words, room)])
    ways.append([head, *_fill("    ", words, room)])
    if equals:
        ways[:2] = ways[1::-1]
    fitting = [way for way in ways if all(len(line) <= room for line in way)]
    return min(fitting or ways, key=len)


def assignment(head: str, text: str, depth: int) -> list[str]:
    """An assignment, broken after its `=` or at spaces where it is too long."""
    room = LINE_WIDTH - 4 * depth
    if len(head) + len(text) + 1 <= room:
        return [f"{head}{text};"]
    if len(text) + 5 <= room:
        return [head.rstrip(), f"    {text};"]
    return _fill(head, (text + ";").split(" "), room)


def _fill(head: str, words: Sequence[str], room: int) -> list[str]:
    lines, line, empty = [], head, True
    for word in words:
        if not empty and len(line) + len(word) > room:
            lines.append(line.rstrip())
            line = " " * len(head)
        line += word + " "
        empty = False
    return [*lines, line.rstrip()]
