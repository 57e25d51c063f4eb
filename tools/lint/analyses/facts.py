"""The facts about a ``torch.autograd.Function`` that rules read: one value per class.

In: a module, and the text of those that it imports. Out: `ClassFacts`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from typing import Literal as OneOf

from ....transpile.ir import Source, Span
from ..frontend.classes import FunctionClass, function_classes
from ..frontend.modules import Finder, Program
from ..frontend.operators import registered_operators
from . import containers
from .backward import Backward, BackwardFacts, InnerAutograd, Slot
from .forward import End, Forward, ForwardFacts, Parameter
from .outside import ANY, REBOUND
from .values import MISSING, Form, Kind, Thing, Token, Value, facts_of

# What an unknown call gives holds integers, or nothing to differentiate by, where it is called so.
OF_INTEGERS = re.compile(
    r"(?:^|[_.])(?:mask|index|indices|idx|ids|hash|hashes|hash_code|hash_codes|buckets?|permutation|perm"
    r"|handles?|groups?|counts?|seed|rng_state|cu_seqlens|indptr)\d*$|^(?:n|num_\w+|n_\w+)$"
    r"|^(?:BLOCK|NUM|block)_\w+$"
)
SURROGATE = re.compile(r"#\s*pullback:\s*surrogate\b")


class Saving(Enum):
    """The kind of a saved value."""

    INPUT = "an input"
    OUTPUT = "an output"
    RECORDED = "computed with its history"
    ZERO = "not differentiable"
    PLAIN = "not a tensor"
    INTERMEDIATE = "an intermediate"
    CONDITIONAL = "an input or output on some paths only"
    OPAQUE = "computed by an unknown call"


class Use(Enum):
    """The strongest use of a saved value in the backward."""

    VALUE = "flows into a returned gradient"
    DEAD = "flows into no returned gradient"


@dataclass(frozen=True)
class Saved:
    """A saved value: what it is, where it is computed, saved, used and returned.

    `attribute`: that of the context which holds it, alone or among others; "" for none. `written`: the
    forward changes it in place, before it is saved or after.
    """

    name: str
    saving: Saving
    use: Use
    how: str
    saved: Span
    computed: Span | None
    used: Span | None
    returned: Span | None
    inputs: tuple[str, ...]
    token: Token
    attribute: str = ""
    marked: bool = False
    used_as_object: bool = False
    written: bool = False

    @property
    def on_context(self) -> bool:
        """True if it is an attribute of the context, out of reach of the version check."""
        return self.how == "attribute"

    @property
    def place(self) -> str:
        """``as `ctx.x` ``, or ``in `ctx.options` `` where the attribute holds it among others."""
        if self.attribute == ANY:
            return "on `ctx`"
        alone = self.name == self.attribute or self.name.startswith(f"{self.attribute}.")
        return f"as `ctx.{self.name}`" if alone else f"in `ctx.{self.attribute}`"


@dataclass(frozen=True)
class ClassFacts:
    """Everything found out about one class."""

    cls: FunctionClass
    forward: ForwardFacts
    backward: BackwardFacts

    @property
    def name(self) -> str:
        """The class's name."""
        return self.cls.name

    @property
    def span(self) -> Span:
        """The place of the class."""
        return self.cls.own.module.span(self.cls.own.node)

    @property
    def once_differentiable(self) -> bool:
        """True if the backward carries PyTorch's decorator of that name."""
        return "once_differentiable" in self.backward.method.decorators

    @cached_property
    def surrogate(self) -> bool:
        """True if a comment says that its gradient is not the forward's derivative on purpose."""
        span = self.span
        lines = self.cls.own.module.lines[max(span.line - 2, 0) : span.end_line]
        return any(SURROGATE.search(line) for line in lines)

    @cached_property
    def outside(self) -> tuple[tuple[str, OneOf["value", "items", "object"], Span], ...]:
        """The places outside of a context that the forward writes and the backward reads.

        Their names, what is kept there, and where it is written: the value itself, which another call
        replaces, one of several items, or the value on an object that the forward is given.
        """
        kept, found = self.forward.outside, list[tuple[str, OneOf["value", "items", "object"], Span]]()
        for place, how in kept.read:
            of_object = place in kept.objects
            what: OneOf["value", "items", "object"] = (
                "object" if of_object else "value" if how == REBOUND else "items"
            )
            found.append((kept.names[place], what, kept.written[place, how]))
        return tuple(sorted(found))

    @cached_property
    def inner(self) -> tuple[InnerAutograd, ...]:
        """Gradients that the backward computes itself, each place once."""
        return tuple({inner.span: inner for inner in self.backward.inner}.values())

    @cached_property
    def gradients(self) -> tuple[tuple[int, Value, Span], ...]:
        """The gradient of each parameter, at each return."""
        found = []
        for end in self.backward.returns:
            for thing in end.value:
                for parameter in self.forward.parameters:
                    value = _gradient_at(thing, parameter)
                    found.append((parameter.index, value, end.span))
        return tuple(found)

    @cached_property
    def independent(self) -> tuple[tuple[int, Value, Span], ...]:
        """The gradients with a term that depends on no incoming one, as far as no unknown call wrote it."""
        found = []
        for index, value, span in self.gradients:
            things = tuple(t for t in value if t.constant is not None and t.facts.form is not Form.ZERO)
            known = any(t.constant is not MISSING or t.entity or t.parts is not None for t in things)
            forms = {Form.UNKNOWN if t.number else t.facts.form for t in things}
            if things and not known and forms <= {Form.CONSTANT, Form.AFFINE, Form.COMPARED}:
                found.append((index, things, span))
        return tuple(found)

    @cached_property
    def refuses(self) -> bool:
        """True if every gradient passes through a barrier, which raises where it is differentiated."""
        things = [t for _, value, _ in self.gradients for t in value if t.constant is not None]
        things = [t for t in things if t.facts.form is not Form.ZERO]
        return bool(things) and all(t.facts.kind is Kind.DIFFERENTIABLE and not t.facts.flows for t in things)

    @cached_property
    def differentiable(self) -> frozenset[str]:
        """The parameters that some return has a gradient for: neither None nor zeros."""
        names = {p.index: p.name for p in self.forward.parameters}
        return frozenset(
            names[index]
            for index, value, _ in self.gradients
            if any(t.constant is not None and t.facts.form is not Form.ZERO for t in value)
        )

    @cached_property
    def passive(self) -> frozenset[Token]:
        """The tokens of saved values that no gradient flows to: numbers, indices, others on ctx."""
        return frozenset(
            saved.token
            for saved in self.saved
            if saved.saving in (Saving.ZERO, Saving.PLAIN)
            or (
                saved.on_context
                and saved.saving is Saving.INPUT
                and not self.differentiable & {*saved.inputs}
            )
        )

    @cached_property
    def unknown(self) -> frozenset[Token]:
        """The tokens of saved values that come from unknown calls: they may be no tensors."""
        return frozenset(saved.token for saved in self.saved if saved.saving is Saving.OPAQUE)

    @cached_property
    def numbers(self) -> frozenset[str]:
        """The names of saved inputs that nothing in the text says to be tensors."""
        tensors = {parameter.name for parameter in self.forward.parameters if parameter.tensor}
        return frozenset(
            saved.name
            for saved in self.saved
            if saved.saving in (Saving.INPUT, Saving.ZERO, Saving.PLAIN) and not set(saved.inputs) & tensors
        )

    @cached_property
    def saved(self) -> tuple[Saved, ...]:
        """The saved values, with their verdicts."""
        return tuple(self._saved(slot) for slot in self.backward.slots)

    def _saved(self, slot: Slot) -> Saved:
        ends: dict[int, set[Thing]] = {}
        for index, thing in slot.things:
            ends.setdefault(index, set()).add(thing)
        groups: dict[int, set[Saving]] = {}
        for index, things in ends.items():
            end = self.forward.ends[index]
            groups[index] = {s for t in things for s in self._saving(t, things, end, slot.many)}
        saving = _worst([_of_one_end(group) for group in groups.values()])
        if saving is Saving.OPAQUE and OF_INTEGERS.search(slot.name):
            saving = Saving.ZERO
        flowing = [
            (f, span) for _, value, span in self.gradients if slot.token in (f := facts_of(value)).flows
        ]
        bad = [t for _, t in slot.things if t.token is None and t.facts.kind is not Kind.NONE]
        origin = bad[0] if bad else slot.things[0][1]
        inputs = tuple(dict.fromkeys(token.name for token in origin.facts.flows if token.sort == "input"))
        return Saved(
            slot.name,
            saving,
            Use.VALUE if flowing else Use.DEAD,
            slot.how,
            slot.span,
            origin.span,
            flowing[0][0].flows[slot.token] if flowing else None,
            flowing[0][1] if flowing else None,
            inputs,
            slot.token,
            slot.attribute,
            any(thing in self.forward.context.marked for _, thing in slot.things),
            any(thing.used_as_object for thing in (*slot.seen, *(t for _, t in slot.things))),
            any(thing.store.written is not None for _, thing in slot.things),
        )

    def _saving(self, thing: Thing, saved: set[Thing], end: End, many: set[Thing]) -> set[Saving]:
        found = self._of_thing(thing, end)
        sources = {token.name for token in thing.facts.flows if token.sort == "input"}
        if found is Saving.OUTPUT and sources & self.differentiable:
            if thing in many and thing not in end.all_returned:  # one item of a list that is saved whole
                return {Saving.INTERMEDIATE}
            if not end.outputs[thing] <= saved:  # what is returned may be another thing
                return {Saving.OUTPUT, Saving.INTERMEDIATE}
        return {found}

    def _of_thing(self, thing: Thing, end: End) -> Saving:
        facts = thing.facts
        if facts.kind is Kind.NONE:
            return Saving.PLAIN if thing.number else Saving.ZERO
        if thing.token is not None and thing.token.sort == "input":
            return Saving.INPUT
        if thing in end.outputs and thing not in self.forward.context.marked and not thing.array:
            return Saving.OUTPUT
        if facts.recorded:
            return Saving.RECORDED
        sources = {token.name for token in facts.flows if token.sort == "input"}
        if sources and not sources & self.differentiable:
            return Saving.ZERO
        return Saving.OPAQUE if facts.kind is Kind.OPAQUE else Saving.INTERMEDIATE


def _of_one_end(found: set[Saving]) -> Saving:
    bad = found & {Saving.INTERMEDIATE, Saving.OPAQUE}
    if bad and found & {Saving.INPUT, Saving.OUTPUT}:
        return Saving.CONDITIONAL
    return _worst(list(found))


_ORDER = (
    Saving.INTERMEDIATE,
    Saving.OPAQUE,
    Saving.CONDITIONAL,
    Saving.OUTPUT,
    Saving.RECORDED,
    Saving.INPUT,
    Saving.ZERO,
    Saving.PLAIN,
)


def _worst(found: list[Saving]) -> Saving:
    return min(found, key=_ORDER.index, default=Saving.PLAIN)


def _gradient_at(thing: Thing, parameter: Parameter) -> Value:
    if thing.parts is None:
        return (
            (thing,) if parameter.index == 0 or thing.facts.kind is not Kind.NONE else (Thing(constant=None),)
        )
    if parameter.variadic:
        rest = containers.slice_of(thing, parameter.index, None)
        return containers.element_of(rest) or (Thing(constant=None),)
    found = containers.item_at(thing, parameter.index)
    return found if any(t.facts.kind is not Kind.NONE or t.span for t in found) else (Thing(constant=None),)


def read_classes(source: Source, program: Program, name: str | None = None) -> Iterator[ClassFacts]:
    """The autograd functions of a text with a forward and a backward, and operators that are like them.

    All of them, or those of one name.
    """
    module = program.module(source)
    if module is None:
        return
    for cls in (*function_classes(module), *registered_operators(module)):
        facts = read_class(cls) if name is None or cls.name == name else None
        if facts is not None:
            yield facts


def read_class(cls: FunctionClass) -> ClassFacts | None:
    """The facts about one class; None where it has no forward or no backward."""
    try:
        forward = Forward(cls).facts()
        backward = Backward(cls, forward).facts() if forward is not None else None
    except RecursionError:  # an expression nested deeper than Python can follow
        return None
    if forward is None or backward is None:
        return None
    if not forward.differentiable:  # it never runs
        backward = replace(backward, returns=(), writes=(), inner=(), unset={})
    return ClassFacts(cls, forward, backward)


__all__ = ["ClassFacts", "Finder", "Program", "Saved", "Saving", "Use", "read_class", "read_classes"]
