"""A stage: one pass over a broadcast space, with everything that is computed and stored on the way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from ...analysis.costs import MOVE, WORK
from ...ir import Atom, Eqn, Literal, Var
from ...passes.kernel.types import of_literal, stored
from ...records import record
from ..expressions import Convert, Entry, Expression, Infix, Name, Number, size
from ..statements import Collect, InSpace, Let, Read, Reduce, Space, Store, Write
from . import shape_sets
from .facts import Fact, Leaf
from .names import Names
from .scalars import ABSENT, Scalar, lane, literal


@record(frozen=True, slots=True)
class Written:
    """A value that is written to the view `target`."""

    value: Atom
    target: Expression
    name: str
    type: str


@record(frozen=True, slots=True)
class Reduced:
    """A value that is reduced to the view `target`, by "sum", "prod", "max" or "min" of terms of this type.

    The result is of the type `into`. `once` says that it gives one result for all of a row.
    """

    value: Atom
    target: Expression
    name: str
    op: str
    type: str
    into: str
    mean: bool = False
    once: bool = False


Sink = Written | Reduced
# Of so many parts a made-up value may be that stands in the expression that reads it.
SHORT = 9


@dataclass(slots=True)
class Stage:
    """Sinks that share a loop over the broadcast of `leaves`, which `shape` is in the end."""

    level: int
    sinks: list[Sink] = field(default_factory=list)
    leaves: list[Leaf] = field(default_factory=list)
    covers: list[Expression] = field(default_factory=list)
    shape: Expression | None = None

    @property
    def reduces(self) -> bool:
        """True where some sink is a reduction."""
        return any(isinstance(sink, Reduced) for sink in self.sinks)


class StageLoop:
    """The loop of one stage: what it reads, and what it computes for an element.

    `find` gives the fact that holds for a variable at the stage's level,
    `order` its place in the kernel. Where `by_rows` allows it, and something has
    one element for all of a row, the loop goes by rows.
    """

    def __init__(
        self,
        stage: Stage,
        names: Names,
        find: Callable[[Var], Fact],
        order: Callable[[Atom], int],
        index: str,
        by_rows: bool = False,
    ) -> None:
        self.stage = stage
        self.names = names
        self.find = find
        self.index = index
        self.reads: dict[Var, Fact] = {}
        self.eqns: list[Eqn] = []
        self.uses: dict[Var, int] = {}
        for sink in stage.sinks:
            self._count(sink.value)
        read = {names.of(var) for var in self.reads}  # what an earlier stage has stored under its own name
        stage.sinks = [
            replace(sink, name=names.fresh(f"{sink.name}_out")) if sink.name in read else sink
            for sink in stage.sinks
        ]
        stage.sinks.sort(key=lambda sink: order(sink.value))
        self.eqns.sort(key=lambda eqn: order(eqn.outs[0]))
        self.reads = dict(sorted(self.reads.items(), key=lambda item: order(item[0])))
        self.once: set[Var] = set()
        self.totals: list[Reduced] = []
        if by_rows and not shape_sets.is_once(shape_sets.join(leaf.shape for leaf in stage.leaves)):
            self.once = {var for var, fact in self.reads.items() if shape_sets.is_once(fact.shape)}
            self.totals = [sink for sink in stage.sinks if isinstance(sink, Reduced) and sink.once]
        self.looped = [sink for sink in stage.sinks if self._source(sink) is None]

    def _count(self, value: Atom) -> None:
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
        """The number of arrays that walk the stage's space."""
        return len(self.reads) + len(self.stage.sinks)

    def _source(self, sink: Sink) -> Var | None:
        """The input whose rows are the terms of a reduction as they are, so that no loop writes them."""
        value = sink.value
        if not isinstance(sink, Reduced) or not isinstance(value, Var) or value not in self.reads:
            return None
        fits = sink not in self.totals and value not in self.once
        return value if fits and stored(self.reads[value].type) == sink.type else None

    def space(self, passes: str) -> Space:
        """The stage as a pass of the list that `passes` names."""
        shape = self.stage.shape
        assert shape is not None
        by_rows = bool(self.once or self.totals)
        return Space(
            passes,
            shape,
            self._rows_read(),
            tuple(map(self._rows_given, self.stage.sinks)),
            tuple(self.body()),
            self.index,
            tuple(dict.fromkeys(self.stage.covers)),
            by_rows,
            by_rows and self._is_long(),
        )

    def _rows_read(self) -> tuple[Read, ...]:
        reduced = [self._source(sink) for sink in self.stage.sinks]
        return tuple(
            Read(
                self.names.of(var),
                stored(fact.type),
                fact.node,
                var in self.once,
                self.uses[var] > reduced.count(var),
            )
            for var, fact in self.reads.items()
        )

    def _rows_given(self, sink: Sink) -> Write | Reduce:
        if isinstance(sink, Written):
            return Write(sink.name, sink.type, sink.target)
        source = self._source(sink)
        named = None if source is None else self.names.of(source)
        once = sink in self.totals
        return Reduce(sink.name, sink.op, sink.type, sink.into, sink.target, sink.mean, once, named)

    def _is_long(self) -> bool:
        """True where what is read next could come meanwhile: the loop computes, and stores no rows."""
        stores = any(sink not in self.totals for sink in self.stage.sinks)
        return not stores and sum(WORK.get(eqn.op, 0.0) for eqn in self.eqns) >= MOVE

    def body(self) -> list[InSpace]:
        """The statements for one element."""
        statements: list[InSpace] = []
        values: dict[Var, Scalar] = {}
        for var, fact in self.reads.items():
            values[var] = Scalar(Entry(self.names.of(var), self.index), stored(fact.type))
        pending = list(self.looped)
        for sink in list(pending):
            if (
                not isinstance(sink.value, Var)
                or sink.value in self.reads
                or self.find(sink.value).kind != "lane"
            ):
                statements.append(self._store(sink, self._operand(sink.value, values)))
                pending.remove(sink)
        for eqn in self.eqns:
            (out,) = eqn.outs
            fact = self.find(out)
            value = lane(eqn.op, [self._operand(atom, values) for atom in eqn.args], fact.type)
            sinks = [
                sink for sink in pending if isinstance(sink.value, Var) and self._computed(sink.value) == out
            ]
            same = eqn.op in ("positive", "stop_gradient") and value == self._operand(eqn.args[0], values)
            if not sinks and (same or self._folds(out, value)):
                values[out] = value
                continue
            if sinks and self.uses[out] == 1 and not self._is_extreme(sinks[0]):
                statements.append(self._store(sinks[0], value, eqn))
            else:
                name, kind = self.names.of(out), stored(fact.type)
                statements.append(Let(name, value.node, kind, span=eqn.span))
                values[out] = Scalar(Name(name), kind)
                statements += [self._store(sink, values[out]) for sink in sinks]
            for sink in sinks:
                pending.remove(sink)
        return statements

    def _is_extreme(self, sink: Sink) -> bool:
        """True for the largest or smallest of a row's terms, each of which is looked at twice."""
        return sink in self.totals and isinstance(sink, Reduced) and sink.op in ("max", "min")

    def _folds(self, out: Var, value: Scalar) -> bool:
        """True where a made-up value stands in the expression that reads it, as it did in Python."""
        return out.temp and self.uses[out] == 1 and size(value.node) <= SHORT

    def _store(self, sink: Sink, value: Scalar, eqn: Eqn | None = None) -> Store | Collect:
        node, span = value.to(sink.type).node, None if eqn is None else eqn.span
        if isinstance(sink, Reduced) and sink in self.totals:
            given = self._rows_given(sink)
            assert isinstance(given, Reduce)
            if sink.type == "bool" and _is_int(node):
                node = Convert("bool", node)  # there is no sum of ints
            return Collect(given, node, span)
        return Store(sink.name, node, span)

    def _operand(self, atom: Atom, values: dict[Var, Scalar]) -> Scalar:
        atom = self._computed(atom)
        if isinstance(atom, Literal):
            kind = of_literal(atom)
            return ABSENT if kind is None else literal(atom.value, kind)
        if atom in values:
            return values[atom]
        fact = self.find(atom)
        if fact.literal is not None:
            return literal(fact.literal, fact.type)
        return Scalar(fact.node, fact.type)


def _is_int(node: Expression) -> bool:
    """True for a condition that is an int in C++: a number, what two conditions make together."""
    return isinstance(node, Number) or (isinstance(node, Infix) and node.operator in ("&", "|"))
