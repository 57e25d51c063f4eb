"""One function body that is being read: its local names, what surrounds it, and its text."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

from ..ir import Block, Eqn, Kind, Literal, Span, Var
from .builder import Builder
from .fence import Refusal, refuse
from .folding import fold_node
from .names import Binding, Names
from .spelling import canonical, constant_of
from .text import FunctionNode, Text, find_function, parse, too_deep
from .values import Backwards, Branch, Callee, Dotted, Function, Growing, Items, LastTurn, Poison, Value


class Bound(NamedTuple):
    """When, where, and in which branch a name was bound."""

    tick: int
    span: Span
    branch: Branch


@dataclass
class Frame:
    """Names of a function while its body is read. `parent` is the function around it, `caller`
    the one that a helper was called in.

    `declared` are the names that Python makes local, bound yet or not.
    `bound` tells when and where each name was bound, to see what happens after a capture.
    `place` is where all that is read here is said to stand: the call of a function of ours.
    """

    build: Builder
    text: Text
    names: Names
    local: dict[str, Value] = field(default_factory=dict)
    declared: frozenset[str] = frozenset()
    parent: Frame | None = None
    caller: Frame | None = None
    calls: tuple[FunctionNode, ...] = ()
    loop_names: set[str] = field(default_factory=set)
    bound: dict[str, list[Bound]] = field(default_factory=dict)
    branch: Branch = ()
    place: Span | None = None

    def span(self, node: ast.AST) -> Span:
        """Where a node stands in its file."""
        return self.place or self.text.span(node)

    def bind(self, name: str, value: Value, node: ast.AST) -> None:
        """Let a name hold a value from here on."""
        self.local[name] = value
        self.bound.setdefault(name, []).append(Bound(self.build.tick(), self.span(node), self.branch))

    @contextmanager
    def side(self, number: int, taken: bool) -> Iterator[None]:
        """Read a branch of the `if` of this number."""
        outer, self.branch = self.branch, (*self.branch, (number, taken))
        try:
            yield
        finally:
            self.branch = outer

    def holds(self, name: str) -> bool:
        """Whether a name is local here, or to a function around."""
        frame: Frame | None = self
        while frame is not None:
            if name in frame.local or name in frame.declared:
                return True
            frame = frame.parent
        return False

    def lookup(self, node: ast.Name) -> Value:
        """What a name holds here, by Python's scoping rules."""
        name = node.id
        frame: Frame | None = self
        while frame is not None:
            if name in frame.local:
                return self._found(name, frame.local[name], node)
            if name in frame.declared:
                where = "here" if frame is self else "yet"
                raise refuse("PB407", f"`{name}` has no value {where}", self.span(node), value=name)
            frame = frame.parent
        binding = self.names.lookup(name)
        if binding is None:
            raise refuse(
                "PB407",
                f"`{name}` is not defined",
                self.span(node),
                value=name,
                hint="assign it before, import it, or make it a parameter",
            )
        return self._global(name, binding, node)

    def _found(self, name: str, value: Value, node: ast.Name) -> Value:
        if isinstance(value, Poison):
            if value.why:
                raise refuse(value.code, f"`{name}` {value.why}", self.span(node), value=name)
            raise Refusal
        if isinstance(value, LastTurn):
            value = self._last(value, name, node)
        if isinstance(value, Backwards):
            self.note_use(value.items, self.span(node))
            return self._turned(value.items, name, node)
        if self.build.in_closure:
            self.note_use(value, self.span(node))
        return value

    def _last(self, value: LastTurn, name: str, node: ast.Name) -> Var:
        """An element of the list that the loop collects; its index is an error where there was no turn."""
        build, span = self.build, self.span(node)
        self.note_use(value.turns, span)
        return build.emit("item", (value.turns, Literal(value.place)), span, kind=value.kind, name=name)

    def _turned(self, items: Var, name: str, node: ast.Name) -> Var:
        """The items of a list the other way round: a loop that takes them from the end."""
        build, span = self.build, self.span(node)
        count = build.emit("len", (items,), span, kind="value")
        turn = build.fresh("turn", "value", span)
        with build.block() as eqns:
            left = build.emit("subtract", (count, turn), span, kind="value")
            place = build.emit("subtract", (left, Literal(1)), span, kind="value")
            kind: Kind = "tensor" if items.kind == "list" else "value"
            item = build.emit("item", (items, place), span, kind=kind)
        turned = build.fresh(name, items.kind, span)
        build.add(Eqn((turned,), "for", (count,), (), (Block((turn,), tuple(eqns), (item,)),), span))
        return turned

    def note_use(self, value: Value, span: Span) -> None:
        """Remember where the closure first reads a variable of the forward."""
        if isinstance(value, Var) and value in self.build.forward_vars:
            self.build.used.setdefault(value, span)
        elif isinstance(value, Items | Growing):
            for item in value.items:
                self.note_use(item, span)

    def _global(self, name: str, binding: Binding, node: ast.Name) -> Value:
        if binding.kind == "constant":
            return binding.literal
        if binding.kind == "dotted":
            dotted = canonical(binding.name)
            return constant_of(dotted) or Dotted(dotted, name)
        if binding.kind == "formula":
            return callee_of(binding)
        if binding.kind == "helper" and binding.source is not None and binding.names is not None:
            return self._helper(name, binding, node)
        if binding.kind == "factory":
            return self.build.factory_value(name, self.span(node))
        raise refuse(
            "PB104",
            f"`{name}` is {binding.why or 'not a constant'}: it may change before the backward runs",
            self.span(node),
            value=name,
            hint="make it a parameter, or a module-level number",
        )

    def _helper(self, name: str, binding: Binding, node: ast.Name) -> Value:
        assert binding.source is not None
        assert binding.names is not None
        same = binding.source == self.text.source
        text = self.text if same else parse(binding.source)
        found = find_function(text.tree, binding.name)
        if found is None or found.decorator_list:
            return Dotted(name, name)
        return Function(
            found, Frame(self.build, text, binding.names, place=self.place), defaults_of(found, binding.names)
        )


def defaults_of(node: ast.FunctionDef, names: Names) -> tuple[tuple[str, Value], ...]:
    """The default arguments of a module-level helper, which Python read when it was defined."""
    args = node.args
    positional = [*args.posonlyargs, *args.args]
    pairs = [*zip(reversed(positional), reversed(args.defaults), strict=False)]
    pairs += [(arg, value) for arg, value in zip(args.kwonlyargs, args.kw_defaults, strict=True) if value]
    found: list[tuple[str, Value]] = []
    for arg, value in pairs:
        literal = fold_node(value, names) if too_deep(value) is None else None
        found.append((arg.arg, literal or Poison("has a default that is not a constant")))
    return tuple(found)


def callee_of(binding: Binding) -> Callee:
    """The formula that a binding stands for."""
    return Callee(binding.name, binding.operands, binding.attrs, binding.results, binding.result_is_tuple)
