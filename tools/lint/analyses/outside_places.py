"""Reads and writes of what outlives a call, and of attributes whose names are computed."""

from __future__ import annotations

import ast
from abc import abstractmethod

from ..frontend.modules import Expression
from .context import SAVED
from .expressions import Expressions
from .outside import ANY, CONTENTS, REBOUND
from .state import State
from .values import MISSING, Bound, Kind, Thing, Value, leaves, plain, union


class OutsidePlaces(Expressions):
    """Follows names of the module, attributes of classes, and ``vars(ctx)``."""

    running: list[ast.AST]

    @abstractmethod
    def attribute_of(self, value: Value, name: str, node: ast.AST, state: State) -> Value:
        """An attribute of each alternative."""

    @abstractmethod
    def set_attribute(self, thing: Thing, name: str, value: Value, node: ast.AST, state: State) -> None:
        """``thing.name = value``."""

    def kept(self, owner: object, name: str, shown: str, value: Value, state: State) -> Value:
        """The value that the class keeps in a name of a module or attribute of a class; else its own."""
        place = self.outside.place(owner, name, shown)
        found = self.outside.take(place, REBOUND, state.heap)
        for thing in value:
            thing.place = place
        return found or value

    def keep(self, node: ast.expr, name: str, value: Value, state: State) -> None:
        """``name = value``, where ``global`` makes the name the module's."""
        entity = self.module.names.get(name)
        owner = entity.node if isinstance(entity, Expression) else self.module
        place = self.outside.place(owner, name, name)
        self.outside.write(place, REBOUND, value, self.span(node), state.heap)

    def store_outside(self, thing: Thing, at: Value, value: Value, node: ast.AST, state: State) -> None:
        """``TABLE[key] = value``, ``vars(ctx)[name] = value``."""
        if thing.place is not None and not self._is_looked_up(node, value):
            self.outside.write(thing.place, CONTENTS, value, self.span(node), state.heap)
        if isinstance(thing.entity, Bound) and thing.entity.name == "__dict__":
            for owner in thing.entity.receiver:
                self.set_attribute_at(owner, at, value, node, state)

    def _is_looked_up(self, node: ast.AST, value: Value) -> bool:
        """True for ``TABLE[key] = build(...)`` where the function looks first whether the key is there.

        What an unknown call gives is then the same for all calls of one key: a compiled kernel.
        """
        kept = [thing.facts.kind for thing in leaves(value) if thing.parts is None]
        if not isinstance(node, ast.Subscript) or {*kept} - {Kind.OPAQUE, Kind.NONE}:
            return False
        table = ast.unparse(node.value)
        for inner in ast.walk(self.running[-1]) if self.running else ():
            match inner:
                case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[looked]):
                    if ast.unparse(looked) == table:
                        return True
                case ast.Call(func=ast.Attribute(value=looked, attr="get")):
                    if ast.unparse(looked) == table:
                        return True
        return False

    def set_attribute_at(self, thing: Thing, name: Value, value: Value, node: ast.AST, state: State) -> None:
        """Set an attribute whose name is a value; where that is computed, it may be any."""
        known = name[0].constant if len(name) == 1 else MISSING
        if not isinstance(known, str):
            written = ast.unparse(node.args[2] if isinstance(node, ast.Call) else node)
            for found in value:
                found.name = found.name or written
            value = union(state.heap.get((thing, ANY), ()), value)
        self.set_attribute(thing, known if isinstance(known, str) else ANY, value, node, state)

    def attribute_at(self, thing: Thing, name: Value, node: ast.AST, state: State) -> Value:
        """An attribute whose name is a value; where that is computed, it may be any that was set."""
        known = [one.constant for one in name if isinstance(one.constant, str)]
        if known and len(known) == len(name):
            return union(*(self.attribute_of((thing,), one, node, state) for one in known))
        found = (value for (owner, at), value in state.heap.items() if owner is thing and at != SAVED)
        return union(*found) or plain()
