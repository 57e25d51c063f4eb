"""Collects equations while a formula is read, and remembers where everything stood."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from ...diagnostics import Diagnostic
from ...ir import Atom, Block, Eqn, Kind, Literal, Span, Var
from ..syntax.fence import Refusal, refuse

# A helper that calls a helper twice, twenty deep, is a million equations.
MAX_EQUATIONS = 20_000


# What is a tuple, and what a number, whatever it is of.
_TUPLES, _NUMBERS = frozenset({"tuple", "shape", "range"}), frozenset({"ndim", "size", "len"})


@dataclass
class Builder:
    """Equations of the block that is being read, fresh names, and the facts for the analyses.

    `defined` and `used`: where each variable is bound, and first read by the closure.
    `origin`: the name that the author gave to a variable. `gradients`: the incoming ones.
    `opaque`: the full name of the unknown function that computes a variable.
    `made`: the equation of each variable. `sources`: what a loop's parameter starts from.
    `written`: the list that a variable is, in a choice between lists.
    `listed`: a loop's parameters that may be in a list, by its name, since an iteration before.
    `arrays`: indices that are arrays, or hold some. `lists`: those of numbers. `texts`: strings. `numbers`,
    `tuples`: values that are known to be one. `listed_numbers`: tuples that stand for lists of their items.
    `whole`: parameters and values of loops that are integers.
    """

    eqns: list[Eqn] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    defined: dict[Var, Span] = field(default_factory=dict)
    used: dict[Var, Span] = field(default_factory=dict)
    origin: dict[Var, str] = field(default_factory=dict)
    forward: list[Eqn] | None = None
    forward_vars: set[Var] = field(default_factory=set)
    hoisted: dict[tuple[str, tuple[Atom, ...]], Var] = field(default_factory=dict)
    maybe_none: set[Var] = field(default_factory=set)
    findings: list[Diagnostic] = field(default_factory=list)
    branches: int = 0
    emitted: int = 0
    inputs: set[Var] = field(default_factory=set)
    gradients: set[Var] = field(default_factory=set)
    factory: dict[str, Var] = field(default_factory=dict)
    opaque: dict[Var, str] = field(default_factory=dict)
    made: dict[Var, Eqn] = field(default_factory=dict)
    sources: dict[Var, set[Var]] = field(default_factory=dict)
    written: dict[Var, Any] = field(default_factory=dict)
    listed: dict[Var, str] = field(default_factory=dict)
    arrays: set[Var] = field(default_factory=set)
    lists: set[Var] = field(default_factory=set)
    texts: set[Var] = field(default_factory=set)
    numbers: set[Var] = field(default_factory=set)
    tuples: set[Var] = field(default_factory=set)
    listed_numbers: set[Var] = field(default_factory=set)
    whole: set[Var] = field(default_factory=set)
    _temps: int = 0
    _ticks: int = 0

    def tick(self) -> int:
        """A number that grows with each statement, for the order of what was read."""
        self._ticks += 1
        return self._ticks

    @property
    def in_closure(self) -> bool:
        """True while the closure's body is read."""
        return self.forward is not None

    def fresh(self, name: str | None, kind: Kind, span: Span | None = None) -> Var:
        """A variable with this name, numbered if it is taken; a temporary without one.

        Of a name that no author can write (``<stopped>``) it has the first word.
        """
        if name is not None and not name.isidentifier():
            name = name.strip("<>").split()[0]
        if name is None:
            self._temps += 1
            while f"_{self._temps}" in self.names:
                self._temps += 1
            unique = f"_{self._temps}"
        else:
            unique, number = name, 0
            while unique in self.names:
                number += 1
                unique = f"{name}_{number}"
        self.names.add(unique)
        var = Var(unique, kind, temp=name is None)
        if name is not None:
            self.origin[var] = name
        if span is not None:
            self.defined[var] = span
        if not self.in_closure:
            self.forward_vars.add(var)
        return var

    def emit(
        self,
        op: str,
        args: Sequence[Atom],
        span: Span,
        *,
        kwargs: Sequence[tuple[str, Atom]] = (),
        kind: Kind = "tensor",
        name: str | None = None,
        blocks: tuple[Block, ...] = (),
    ) -> Var:
        """Add an equation of one result and return its variable."""
        return self.emit_many(op, args, span, kwargs=kwargs, kinds=(kind,), names=(name,), blocks=blocks)[0]

    def emit_many(
        self,
        op: str,
        args: Sequence[Atom],
        span: Span,
        *,
        kwargs: Sequence[tuple[str, Atom]] = (),
        kinds: Sequence[Kind],
        names: Sequence[str | None],
        blocks: tuple[Block, ...] = (),
    ) -> tuple[Var, ...]:
        """Add an equation and return a variable for each of its results."""
        self.emitted += 1
        if self.emitted > MAX_EQUATIONS:
            raise refuse("PB402", f"more than {MAX_EQUATIONS} operations when helpers are inlined", span)
        outs = tuple(self.fresh(name, kind, span) for name, kind in zip(names, kinds, strict=True))
        self.add(Eqn(outs, op, tuple(args), tuple(kwargs), blocks, span))
        return outs

    def add(self, eqn: Eqn) -> None:
        """Add an equation whose outputs were made before."""
        self.eqns.append(eqn)
        self.made.update(dict.fromkeys(eqn.outs, eqn))
        if eqn.op in _TUPLES or self._is_of_tuple(eqn):
            self.tuples.update(eqn.outs)
        elif eqn.op in _NUMBERS:
            self.numbers.update(eqn.outs)

    def _is_of_tuple(self, eqn: Eqn) -> bool:
        """True for a slice of a tuple, and for tuples that are added or repeated."""
        tuples = [atom for atom in eqn.args if self._is_tuple(atom)]
        if eqn.op in ("add", "multiply"):
            return bool(tuples) and all(out.kind == "value" for out in eqn.outs)
        if eqn.op != "item" or eqn.args[0] not in tuples or not isinstance(eqn.args[1], Var):
            return False
        made = self.made.get(eqn.args[1])
        return made is not None and made.op == "slice"

    def _is_tuple(self, atom: Atom) -> bool:
        return atom in self.tuples if isinstance(atom, Var) else isinstance(atom.value, tuple)

    def factory_value(self, name: str, span: Span) -> Var:
        """A variable of a function around the formula: an attribute that the caller doesn't see."""
        if name not in self.factory:
            self.factory[name] = self.fresh(name, "value", span)
            self.forward_vars.add(self.factory[name])
        if self.in_closure:
            self.used.setdefault(self.factory[name], span)
        return self.factory[name]

    def metadata(self, op: str, args: tuple[Atom, ...], span: Span, name: str | None = None) -> Var:
        """A size, shape or dtype. The forward computes the closure's, so that no tensor is saved for it."""
        if not self._hoistable(op, args):
            return self.emit(op, args, span, kind="value", name=name)
        key = (op, args)
        if key not in self.hoisted:
            here, self.eqns = self.eqns, self.forward if self.forward is not None else []
            label = "_".join([str(args[0]), *([op] if op != "item" else []), *map(str, args[1:])])
            var = self.emit(op, args, span, kind="value", name=label.replace("-", "m"))
            self.eqns = here
            self.origin.pop(var, None)
            self.forward_vars.add(var)
            self.hoisted[key] = var
        var = self.hoisted[key]
        self.used.setdefault(var, span)
        return var

    def _hoistable(self, op: str, args: tuple[Atom, ...]) -> bool:
        if self.forward is None or not isinstance(args[0], Var):
            return False
        if args[0] in self.maybe_none and op != "is_none":
            return False
        if op == "item" and (self.branches or args[0] not in self.hoisted.values()):
            return False
        return all(isinstance(atom, Literal) or atom in self.forward_vars for atom in args)

    @contextmanager
    def block(self) -> Iterator[list[Eqn]]:
        """Collect equations into a block of their own."""
        outer, self.eqns = self.eqns, []
        self.branches += 1
        try:
            yield self.eqns
        finally:
            self.eqns = outer
            self.branches -= 1

    @contextmanager
    def into(self, eqns: list[Eqn]) -> Iterator[None]:
        """Add to a block that was read before."""
        outer, self.eqns = self.eqns, eqns
        try:
            yield
        finally:
            self.eqns = outer

    def report(self, refusal: Refusal) -> None:
        """Keep a finding; one that was reported already is not repeated."""
        if refusal.finding is not None and refusal.finding not in self.findings:
            self.findings.append(refusal.finding)
