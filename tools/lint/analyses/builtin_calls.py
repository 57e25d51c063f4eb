"""Results of Python's own functions, and of the methods of lists."""

from __future__ import annotations

import ast
from abc import abstractmethod

from ..frontend.modules import Dotted
from . import containers, torch_names
from .context import NEEDED, Context
from .state import State
from .torch_calls import Arguments, TorchCalls
from .values import (
    MISSING,
    Item,
    Kind,
    Store,
    Thing,
    Value,
    any_form,
    bounded,
    combine,
    constant,
    facts_of,
    lose,
    plain,
    union,
)


class BuiltinCalls(TorchCalls):
    """Calls of what every Python program has."""

    @abstractmethod
    def invoke(self, callee: Thing, arguments: Arguments, state: State) -> Value:
        """The value of a call of one thing."""

    @abstractmethod
    def opaque(self, callee: Value, arguments: Arguments, name: str, state: State) -> Value:
        """The value of a call that analysis can't see into."""

    @abstractmethod
    def attribute_of(self, value: Value, name: str, node: ast.AST, state: State) -> Value:
        """An attribute of each alternative."""

    def builtin(self, name: str, arguments: Arguments, state: State) -> Value:
        if name == "isinstance" and arguments.items:
            known = arguments.first[0].constant if len(arguments.first) == 1 else MISSING
            second = ast.unparse(arguments.node.args[-1])
            if known is not MISSING and "Tensor" in second and "," not in second:
                return constant(False)
            return plain()
        if name == "hasattr" and len(arguments.items) == 2:
            attribute = arguments.items[1].value[0].constant
            known_owner = [thing for thing in arguments.first if isinstance(thing.constant, Context)]
            if known_owner and isinstance(attribute, str) and (known_owner[0], attribute) not in state.heap:
                return constant(False)
            return plain()
        if name == "getattr" and len(arguments.items) >= 2:
            at = arguments.items[1].value
            known_names = all(isinstance(thing.constant, str) for thing in at)
            if known_names or any(isinstance(thing.constant, Context) for thing in arguments.first):
                found = (self.attribute_at(t, at, arguments.node, state) for t in arguments.first)
                return union(*found)
        if name == "setattr" and len(arguments.items) == 3:
            for thing in arguments.first:
                at, value = arguments.items[1].value, arguments.items[2].value
                self.set_attribute_at(thing, at, value, arguments.node, state)
            return constant(None)
        if name == "vars" and arguments.items:
            return self.attribute_of(arguments.first, "__dict__", arguments.node, state)
        if name in torch_names.PLAIN_BUILTINS:
            return plain()
        if name in ("any", "all"):
            needs = len(arguments.first) == 1 and arguments.first[0].constant is NEEDED
            return constant(True) if needs else plain()
        if name in torch_names.CONTAINERS:
            return self.new_list(containers.starred(arguments.first) if arguments.items else [])
        if name == "dict":
            if not arguments.items and "**" not in arguments.named:
                return self.new_dictionary([*arguments.named], [*arguments.named.values()])
            (first, *others) = arguments.first if arguments.items else (Thing(),)
            if first.keys is not None and not others:
                return self.new_dictionary([*first.keys], [item.value for item in first.parts or ()])
            pairs = containers.starred(arguments.first) if arguments.items else []
            values = [Item(containers.item_at(t, 1), pair.starred) for pair in pairs for t in pair.value]
            return self.new_list([*values, *(Item(value) for value in arguments.named.values())])
        if name == "zip":
            return containers.zipped([item.value for item in arguments.items])
        if name == "enumerate" and arguments.items:
            items = containers.starred(arguments.first)
            return containers.make(
                [Item(containers.make([Item(plain()), Item(i.value)]), i.starred) for i in items]
            )
        if name in ("float", "max", "min", "abs", "round", "sum", "pow", "divmod"):
            return self.number(name, arguments)
        if name == "map" and len(arguments.items) > 1:
            items = containers.starred(arguments.items[1].value)
            mapped = [
                Item(
                    union(
                        *(self.invoke(f, Arguments([i], {}, arguments.node), state) for f in arguments.first)
                    ),
                    i.starred,
                )
                for i in items
            ]
            return containers.make(mapped)
        return self.opaque((Thing(entity=Dotted(name)),), arguments, name, state)

    def number(self, name: str, arguments: Arguments) -> Value:
        facts = [facts_of(value) for value in arguments.values]
        if max((fact.kind for fact in facts), default=Kind.NONE) is Kind.NONE:
            return plain()
        made = combine(facts, any_form([fact.form for fact in facts]), self.span(arguments.node))
        if self.cuts and name not in ("sum", "max", "min", "abs", "pow", "round"):
            made = lose(made, self.span(arguments.node), f"`{name}(...)`, which makes a number of it")
        return (Thing(made, Store(), self.span(arguments.node), number=name == "float"),)

    def list_method(self, thing: Thing, name: str, arguments: Arguments) -> Value:
        parts = thing.parts if thing.parts is not None else []
        inside = self.frame.loops > thing.born
        if name in ("pop", "get", "setdefault") and thing.keys is not None and arguments.items:
            others = [item.value for item in arguments.items[1:]]
            return containers.at_key(thing, arguments.first, union(*others) or constant(None))
        if thing.keys is not None and name in ("items", "values", "keys"):
            made = {"items": containers.pairs(thing), "values": containers.make(parts)}
            return made.get(name, (thing,))
        if (
            name == "update"
            and thing.keys is not None
            and not arguments.items
            and "**" not in arguments.named
        ):
            for key, value in arguments.named.items():
                self._replace(thing, key, value)
            return plain()
        if name not in ("values", "copy", "keys", "items"):
            thing.keys = None
        if name == "append" and arguments.items:
            parts.append(Item(arguments.first, starred=inside))
        elif name in ("extend", "insert", "update", "add") and arguments.items:
            parts += [Item(value, True) for value in arguments.named.values()]
            parts += [
                Item(i.value, i.starred or inside) for i in containers.starred(arguments.items[-1].value)
            ]
        elif name in ("pop", "get", "setdefault"):
            return containers.element_of((thing,)) or plain()
        elif name in ("values", "copy", "keys", "items"):
            return (thing,)
        parts[:] = bounded(parts)
        return plain()
