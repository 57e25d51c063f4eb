"""Runs a class's backward as it runs while derivatives are recorded: how what is saved is used."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal as OneOf

from ....transpile.ir import Span
from ..frontend.classes import FunctionClass, Method
from ..frontend.modules import Function
from . import containers, torch_names
from .calls import Calls
from .context import NEEDED, READS_SAVED, SAVED, Context, Label
from .followed_calls import DEEPEST
from .forward import ForwardFacts
from .outside import ANY, REBOUND
from .state import Heap, State
from .statements import Return, Write
from .torch_calls import Arguments
from .values import (
    Facts,
    Form,
    Item,
    Kind,
    Partial,
    Store,
    Thing,
    Token,
    Value,
    constant,
    facts_of,
    leaves,
    plain,
    union,
)


@dataclass(eq=False)
class Slot:
    """A value that the forward saves. `things`: what it may be, and at which end of the forward.

    `seen`: the same things as the backward has them. `attribute`: that of the context which holds it, or "".
    `many`: those of the things that stand for any number of items of a list.
    """

    name: str
    token: Token
    span: Span
    how: OneOf["save_for_backward", "attribute", "outside"]
    things: list[tuple[int, Thing]]
    seen: list[Thing]
    attribute: str
    many: set[Thing] = field(default_factory=set)


@dataclass(frozen=True)
class InnerAutograd:
    """A gradient that is computed inside the backward.

    `shared`: what it is taken by, each as the saved values that it may be, none where it may be no saved one;
    `written` as that name if there is one. `beside`: what it is taken of depends on these.
    """

    span: Span
    text: str
    creates_graph: bool
    shared: tuple[tuple[Token, ...], ...] = ()
    written: str = ""
    beside: tuple[Token, ...] = ()


@dataclass(frozen=True)
class BackwardFacts:
    """The effects of a backward.

    `released`: attributes of the context that it sets to None. `unset`: those that it reads, and neither the
    forward nor the backward sets.
    """

    method: Method
    slots: tuple[Slot, ...]
    returns: tuple[Return, ...]
    gradients: tuple[Token, ...]
    writes: tuple[Write, ...]
    inner: tuple[InnerAutograd, ...]
    tested: frozenset[Token]
    asks_needs: bool
    released: frozenset[str]
    unset: Mapping[str, Span]


class Backward(Calls):
    """Follows a backward with grad mode on."""

    cuts = True

    def __init__(self, owner: FunctionClass, forward: ForwardFacts) -> None:
        super().__init__(owner, forward.outside)
        self.forward = forward
        self.thing = Thing(constant=Context())
        self.slots: list[Slot] = []
        self.heap: Heap = {}
        self.inner: list[InnerAutograd] = []
        self.none_tests: set[Token] = set()
        self.asks_needs = False
        self.released: set[str] = set()
        self.unset: dict[str, Span] = {}
        self._made: dict[tuple[str, Thing], Thing] = {}
        self._lists: dict[tuple[str, Label, Thing, int], Thing] = {}

    def facts(self) -> BackwardFacts | None:
        """Run it; None where the class has no backward."""
        method = self.owner.method("backward") or self.owner.method("vjp")
        if method is None or not method.parameters:
            return None
        self.module = method.owner.module
        state = State()
        self._fill(state)
        names = method.parameters
        state.names[names[0].arg] = (self.thing,)
        gradients = []
        for index, argument in enumerate(names[1:]):
            token = Token("gradient", argument.arg, index)
            gradients.append(token)
            state.names[argument.arg] = (_gradient(token, self.span(argument)),)
        variadic = method.node.args.vararg
        if variadic is not None:
            token = Token("gradient", variadic.arg, len(gradients))
            state.names[variadic.arg] = containers.make(
                [Item((_gradient(token, self.span(variadic)),), True)]
            )
        if "classmethod" in method.decorators:
            arguments = method.node.args
            state.names[[*arguments.posonlyargs, *arguments.args][0].arg] = (Thing(entity=self.owner),)
        self.running = [method.node]
        self.grad_mode = not (set(method.decorators) & torch_names.MODES_OFF)
        end = self.run(method.node.body, state)
        returns = list(self.frame.returns)
        if end is not None:
            returns.append(Return(constant(None), self.span(method.node), end.heap))
        return BackwardFacts(
            method,
            tuple(self.slots),
            tuple(returns),
            tuple(gradients),
            tuple(self.writes),
            tuple(self.inner),
            frozenset(self.none_tests),
            self.asks_needs or self.forward.context.asks_needs,
            frozenset(self.released),
            self.unset,
        )

    def _fill(self, state: State) -> None:
        """Put what the forward saved where the backward finds it."""
        self.heap = state.heap
        found: dict[str, list[Value]] = {}
        for index, end in enumerate(self.forward.ends):
            for (owner, name), value in end.heap.items():
                if owner is self.forward.thing:
                    found.setdefault(name, []).append(self._import(name, value, index))
        for name, values in found.items():
            state.heap[self.thing, name] = union(*values)
        self._fill_outside(state)

    def _fill_outside(self, state: State) -> None:
        """Put what the forward keeps outside of the context where the backward finds it."""
        outside = self.forward.outside
        outside.read.clear()  # what the forward reads
        for index, end in enumerate(self.forward.ends):
            for (place, how), value in end.heap.items():
                span = outside.written.get((place, how))
                if span is None:
                    continue
                shown = outside.names[place]
                found = (self._thing(f"<{shown}>", t, Label(t.name or shown, span), index) for t in value)
                state.heap[place, how] = union(state.heap.get((place, how), ()), *found)

    def _import(self, name: str, value: Value, end: int) -> Value:
        if name != SAVED:
            spans = self.forward.context.set_at
            return union(
                *(
                    self._thing(name, t, Label(_shown(name, t), spans.get((name, t), _nowhere(t))), end)
                    for t in value
                )
            )
        tuples = []
        for saved in value:
            labels = self.forward.context.labels.get(saved, [])
            items = [
                Item(union(*(self._thing("", thing, label, end) for thing in item.value)), item.starred)
                for item, label in zip(saved.parts or [], labels, strict=False)
            ]
            for item in saved.parts or ():
                self._mark_many(item)
            tuples.append(containers.make(items))
        return union(*tuples)

    def _thing(self, attribute: str, thing: Thing, label: Label, end: int) -> Value:
        """A saved thing as the backward sees it."""
        if thing.parts is not None:
            return self._list(attribute, thing, thing.parts, label, end)
        if isinstance(thing.entity, Function) and thing.scope is not None:
            return self._closure(attribute, thing, thing.entity, thing.scope, end)
        if isinstance(thing.entity, Partial):
            return self._partial(attribute, thing.entity, label, end)
        carries = thing.facts.kind is not Kind.NONE
        if not carries and thing.token is None and not (thing.span and not thing.number):
            return (
                Thing(constant=thing.constant, entity=thing.entity, number=thing.number, scope=thing.scope),
            )
        key = (f"{attribute} {label.text}", thing)
        if key not in self._made:
            slot = self._slot(attribute, label)
            kind = Kind.DIFFERENTIABLE if carries else Kind.NONE
            facts = Facts(kind, Form.CONSTANT, {slot.token: None} if carries else {})
            made = Thing(facts, Store(owner=slot.token), label.span, slot.name, rank=-1, token=slot.token)
            made.number, made.entity = thing.number, thing.entity
            made.used_as_object = thing.used_as_object
            self._made[key] = made
            self._attributes(thing, made, label, end)
        made = self._made[key]
        slot = next(slot for slot in self.slots if slot.token == made.token)
        slot.things.append((end, thing))
        slot.seen.append(made)
        return (made,)

    def _closure(
        self, attribute: str, thing: Thing, function: Function, scope: Mapping[str, Value], end: int
    ) -> Value:
        """A saved function: what it captures is saved with it."""
        key = (attribute, Label("", _nowhere(thing)), thing, end)
        if key not in self._lists:
            captured: dict[str, Value] = dict(scope)
            self._lists[key] = Thing(entity=function, scope=captured)
            for node in ast.walk(function.node):
                if isinstance(node, ast.Name) and node.id in scope:
                    label = Label(node.id, function.module.span(node))
                    found = (self._thing(f"{attribute}.{node.id}", t, label, end) for t in scope[node.id])
                    captured[node.id] = union(*found)
        return (self._lists[key],)

    def _partial(self, attribute: str, partial: Partial, label: Label, end: int) -> Value:
        """A saved function with some of its arguments: those are saved with it."""

        def taken(value: Value) -> Value:
            names = (Label(thing.name or label.text, label.span) for thing in value)
            found = (self._thing(attribute, t, n, end) for t, n in zip(value, names, strict=True))
            return union(*found)

        items = tuple(Item(taken(item.value), item.starred) for item in partial.items)
        named = {name: taken(value) for name, value in partial.named.items()}
        return (Thing(entity=Partial(taken(partial.function), items, named)),)

    def _list(self, attribute: str, thing: Thing, parts: list[Item], label: Label, end: int) -> Value:
        """A saved list, made once, for it may hold itself."""
        key = (attribute, label, thing, end)
        if key not in self._lists:
            made = self._lists[key] = Thing(parts=[], fields=thing.fields, keys=thing.keys)
            made.entity = thing.entity if thing.fields else None
            items = []
            written = self.forward.context.names.get(attribute, ())
            written = written if len(written) == len(parts) else ("",) * len(parts)
            for place, (item, name) in enumerate(zip(parts, written, strict=True)):
                if thing.fields:
                    field = thing.fields[place]
                    item = item._replace(value=self.forward.ends[end].heap.get((thing, field), item.value))
                    name = f"{label.text}.{field}"
                named = name or next((inner.name for inner in item.value if inner.name and attribute), "")
                own = label if item.starred or not named else Label(named, label.span)
                value = union(*(self._thing(attribute, inner, own, end) for inner in item.value))
                items.append(Item(value, item.starred))
                self._mark_many(item)
            made.parts = items
        return (self._lists[key],)

    def _mark_many(self, item: Item) -> None:
        """Remember what a starred item holds."""
        for slot in self.slots if item.starred else ():
            slot.many.update(thing for _, thing in slot.things if thing in item.value)

    def _attributes(self, thing: Thing, made: Thing, label: Label, end: int) -> None:
        """The values in an object's attributes, which go with it; one may lead back to the object."""
        if label.text.count(".") >= DEEPEST:
            return
        for (owner, name), value in self.forward.ends[end].heap.items():
            if owner is thing:
                part = Label(f"{label.text}.{name}", label.span)
                inner = (self._thing(part.text, item, part, end) for item in value)
                self.heap[made, name] = union(*inner)

    def _slot(self, attribute: str, label: Label) -> Slot:
        how: OneOf["save_for_backward", "attribute", "outside"] = (
            "outside" if attribute.startswith("<") else "attribute" if attribute else "save_for_backward"
        )
        for slot in self.slots:
            if (slot.name, slot.span, slot.how) == (label.text, label.span, how):
                return slot
        token = Token("saved", label.text, len(self.slots))
        held = attribute.strip("<>") if how == "outside" else attribute.partition(".")[0]
        self.slots.append(Slot(label.text, token, label.span, how, [], [], held))
        return self.slots[-1]

    def set_attribute(self, thing: Thing, name: str, value: Value, node: ast.AST, state: State) -> None:
        """``ctx.name = value``; None gives the value up, so that no second backward finds it changed."""
        super().set_attribute(thing, name, value, node, state)
        if thing is self.thing and all(found.constant is None for found in value):
            self.released.add(name)

    def on_context(self, name: str, arguments: Arguments, state: State) -> Value:
        """A method of the context in a backward."""
        return plain()

    def context_attribute(self, name: str, node: ast.AST) -> Value:
        """An attribute of the context that the forward didn't set."""
        if name == "needs_input_grad":
            self.asks_needs = True
            return (Thing(constant=NEEDED, number=True),)
        if name in READS_SAVED:
            return self.heap.get((self.thing, SAVED)) or containers.make([])
        self.unset.setdefault(name, self.span(node))
        return plain()

    def updated(self, node: ast.AugAssign, state: State) -> None:
        """``ctx.count += 1``: state that a second backward finds changed."""
        if not isinstance(node.target, ast.Attribute):
            return
        if self.thing in self.evaluate(node.target.value, state):
            token = Token("saved", node.target.attr, -1)
            self.writes.append(Write(token, self.span(node), "an augmented assignment", True))

    def tested(self, value: Value) -> None:
        """A value is compared with None here."""
        self.none_tests.update(t for thing in value for t in thing.facts.flows if t.sort == "gradient")

    def inner_backward(self, thing: Thing, arguments: Arguments) -> None:
        """``tensor.backward()`` inside the backward."""
        creates = self._creates_graph(arguments)
        text = ast.unparse(arguments.node.func)
        self.inner.append(InnerAutograd(self.span(arguments.node), text, creates))

    def inner_gradient(self, arguments: Arguments) -> Value:
        """``torch.autograd.grad(...)`` inside the backward."""
        inputs = arguments.items[1].value if len(arguments.items) > 1 else arguments.named.get("inputs", ())
        outputs = facts_of(arguments.first or arguments.named.get("outputs", ()))
        node = arguments.node.args[1] if len(arguments.node.args) > 1 else None
        written = node.id if isinstance(node, ast.Name) else ""
        items = [item for thing in inputs for item in thing.parts or [Item((thing,))]]
        shared = tuple(dict.fromkeys(tokens for item in items for tokens in _saved_tokens(item)))
        beside = () if outputs.lost else tuple(outputs.flows)
        creates = self._creates_graph(arguments)
        text = ast.unparse(arguments.node.func)
        self.inner.append(InnerAutograd(self.span(arguments.node), text, creates, shared, written, beside))
        found = facts_of(super().inner_gradient(arguments))
        facts = Facts(found.kind, Form.UNKNOWN, found.flows, found.lost)

        def made() -> Value:
            return (Thing(facts, Store(), self.span(arguments.node)),)

        if len(inputs) == 1 and not any(item.starred for item in items):
            return containers.make([Item(made()) for _ in items])  # a tuple, of a single one too
        return made()

    def inner_function(self, arguments: Arguments) -> Value:
        """``torch.autograd.functional.vjp(...)`` inside the backward."""
        creates = self._creates_graph(arguments)
        text = ast.unparse(arguments.node.func)
        self.inner.append(InnerAutograd(self.span(arguments.node), text, creates))
        return super().inner_function(arguments)

    def _attribute(self, thing: Thing, name: str, node: ast.AST, state: State) -> Value:
        self._read_object(thing, name)
        if name == "requires_grad" and thing.token is not None and thing.token.sort == "saved":
            slot = next((slot for slot in self.slots if slot.token == thing.token), None)
            found = [t.token for _, t in slot.things] if slot is not None else [None]
            none = self.owner.without_gradient  # of an index, which never requires any
            if all(t is not None and t.sort == "input" and t.position not in none for t in found):
                return constant(True)  # where the backward is differentiated by it
        return super()._attribute(thing, name, node, state)

    def _read_object(self, thing: Thing, name: str) -> None:
        """Note an attribute that the forward sets on an object that it is given."""
        slot = next((slot for slot in self.slots if slot.token == thing.token), None)
        for _, given in slot.things if slot is not None else ():
            place = self.outside.places.get((given.token, name))
            if place in self.outside.objects and (place, REBOUND) in self.outside.written:
                self.outside.read.add((place, REBOUND))

    def _creates_graph(self, arguments: Arguments) -> bool:
        value = arguments.named.get("create_graph")
        if value is None:
            return "**" in arguments.named
        return self.truth(value) is not False


def _gradient(token: Token, span: Span) -> Thing:
    facts = Facts(Kind.DIFFERENTIABLE, Form.LINEAR, {token: None})
    return Thing(facts, Store(owner=token), span, token.name, rank=-1, token=token)


def _saved_tokens(item: Item) -> list[tuple[Token, ...]]:
    """The saved values that an item may be, if it is none else; of a starred one, each for itself."""
    tokens = [thing.token for thing in leaves(item.value) if thing.parts is None]
    found = dict.fromkeys(token for token in tokens if token is not None and token.sort == "saved")
    if item.starred:
        return [(token,) for token in found]
    return [tuple(found)] if all(token in found for token in tokens) else []


def _shown(attribute: str, thing: Thing) -> str:
    """The name of an attribute; of one whose name is computed, that of what it holds."""
    return attribute if attribute != ANY else thing.name or "an attribute"


def _nowhere(thing: Thing) -> Span:
    return thing.span or Span("", 1, 1, 1, 1)
