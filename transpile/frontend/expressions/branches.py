"""Two ways to go on, of which one runs: conditional expressions and `if` statements."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace

from ...ir import Atom, Block, Eqn, Kind, Literal, Var
from ..state.atoms import atom
from ..state.growing import written_list
from ..state.values import Choice, Frame, Function, Growing, Items, Keyed, Poison, Value, is_value
from ..syntax.fence import refuse

_TEST = "test "  # and a number: names that no author can write


def choose(
    frame: Frame,
    test: Value,
    then: Callable[[], Value],
    otherwise: Callable[[], Value],
    node: ast.AST,
    name: str | None = None,
) -> Value:
    """``then() if test else otherwise()``: one side alone where the test is a constant."""
    if isinstance(test, Literal):
        return then() if test.value else otherwise()
    before = set(frame.local)
    with frame.build.block() as then_eqns:
        first = then()
    of_then = frame.local.keys() - before
    with frame.build.block() as else_eqns:
        second = otherwise()
    merger = Merger(frame, node, then_eqns, else_eqns, test)
    merged = merger.merge(first, second, name)
    # What a choice in a branch asks is asked after it as well.
    for asked in sorted(key for key in frame.local.keys() - before if key.startswith(_TEST)):
        sides = (frame.local[asked], Literal(None))
        frame.local[asked] = merger.merge(*(sides if asked in of_then else sides[::-1]))
    merger.finish(atom(frame, test, node))
    frame.local.update(merger.tests)
    return merged


class Merger:
    """Joins the values of two blocks into the results of one `if` equation."""

    def __init__(
        self, frame: Frame, node: ast.AST, then: list[Eqn], otherwise: list[Eqn], test: Value
    ) -> None:
        self.frame, self.node, self.test = frame, node, test
        self.then, self.otherwise = then, otherwise
        self.outs: list[tuple[Var, Atom, Atom]] = []
        # What a choice between functions asks later, under names that no author can write.
        self.tests: dict[str, Value] = {}

    def merge(self, first: Value, second: Value, name: str | None = None) -> Value:
        """The value that holds `first` if the test is true, and `second` if not."""
        if first is second or (isinstance(first, Var | Literal) and first == second):
            return first
        if isinstance(first, Poison) or isinstance(second, Poison):
            return first if isinstance(first, Poison) else second
        if isinstance(first, Keyed) and isinstance(second, Keyed) and first.keys == second.keys:
            entries = zip(first.items, second.items, strict=True)
            return Keyed(first.keys, tuple(self.merge(a, b) for a, b in entries), (first, second))
        if isinstance(first, Items | Growing) and isinstance(second, Items | Growing):
            if len(first.items) == len(second.items):
                pairs = zip(first.items, second.items, strict=True)
                merged = [self.merge(a, b) for a, b in pairs]
                sides = tuple(side for side in (first, second) if isinstance(side, Growing))
                return Growing(merged, may_be=sides) if isinstance(first, Growing) else Items(tuple(merged))
            if not isinstance(first, Growing) or not isinstance(second, Growing):
                raise refuse(
                    "PB402",
                    f"one branch gives {len(first.items)} elements, the other {len(second.items)}",
                    self.frame.span(self.node),
                )
        for items, other in ((first, second), (second, first)):
            if isinstance(items, Items) and isinstance(other, Var) and other.kind == "tensor":
                raise refuse(
                    "PB402",
                    f"one branch gives {len(items.items)} elements, the other an array",
                    self.frame.span(self.node),
                    hint="give a tuple of the same length, or an array, in both",
                )
        if isinstance(first, Growing) or isinstance(second, Growing):
            return self._lists(first, second, name)
        if isinstance(first, Function | Choice) or isinstance(second, Function | Choice):
            return self._choice(first, second)
        with self.frame.build.into(self.then):
            a = atom(self.frame, first, self.node)
        with self.frame.build.into(self.otherwise):
            b = atom(self.frame, second, self.node)
        return self._out(a, b, name)

    def _lists(self, first: Value, second: Value, name: str | None) -> Var:
        """A list that has grown in a branch, or that each branch writes out in another length."""
        sides = (first, second)
        plain = all(is_value(side) for side in sides)
        atoms = []
        for side, eqns in zip(sides, (self.then, self.otherwise), strict=True):
            with self.frame.build.into(eqns):
                if isinstance(side, Growing):
                    var = written_list(self.frame, side, "value" if plain else "list", self.node)
                    self.frame.build.written[var], side = side, var
                atoms.append(atom(self.frame, side, self.node))
        return self._out(atoms[0], atoms[1], name)

    def _choice(self, first: Value, second: Value) -> Choice:
        if not isinstance(first, Function | Choice) or not isinstance(second, Function | Choice):
            raise refuse(
                "PB405",
                "one branch gives a function, the other none",
                self.frame.span(self.node),
                hint="define or return a closure in both",
            )
        test = f"{_TEST}{self.frame.build.tick()}"
        self.tests[test] = self.test
        return Choice(test, self._outside(first, True), self._outside(second, False))

    def _outside(self, function: Function | Choice, then: bool) -> Function | Choice:
        """The function whose default arguments flow out of its branch."""
        if isinstance(function, Choice):
            sides = (self._outside(side, then) for side in (function.first, function.second))
            return Choice(function.test, *sides)
        absent = Literal(None)
        defaults = tuple(
            (name, self.merge(value, absent, name) if then else self.merge(absent, value, name))
            for name, value in function.defaults
        )
        return replace(function, defaults=defaults)

    def _out(self, a: Atom, b: Atom, name: str | None) -> Var:
        for var, *sides in self.outs:
            if sides == [a, b]:
                return var
        build = self.frame.build
        var = build.fresh(name, _kind(a, b), self.frame.span(self.node))
        if Literal(None) in (a, b) or any(
            isinstance(side, Var) and side in build.maybe_none for side in (a, b)
        ):
            build.maybe_none.add(var)
        if build.lists.intersection((a, b)):
            build.lists.add(var)
        self.outs.append((var, a, b))
        return var

    def finish(self, test: Atom) -> None:
        """Add the equation."""
        if not self.outs and not self.then and not self.otherwise:
            return
        outs = tuple(var for var, _, _ in self.outs)
        blocks = (
            Block((), tuple(self.then), tuple(a for _, a, _ in self.outs)),
            Block((), tuple(self.otherwise), tuple(b for _, _, b in self.outs)),
        )
        self.frame.build.add(Eqn(outs, "if", (test,), (), blocks, self.frame.span(self.node)))


def _kind(a: Atom, b: Atom) -> Kind:
    kinds = [side.kind if isinstance(side, Var) else "value" for side in (a, b)]
    return "tensor" if "tensor" in kinds else "list" if "list" in kinds else "value"
