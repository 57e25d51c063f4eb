"""Abstract values: what is known of each thing that a forward or backward computes.

A value of the analysed program is a tuple of `Thing` alternatives: one where it
is certain, several after a branch. Identity matters: an output is an output
because it is the very thing that is returned.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum, IntEnum
from typing import Literal as OneOf
from typing import NamedTuple

from ....transpile.ir import Span
from ..frontend.classes import FunctionClass
from ..frontend.modules import Class, Dotted, Function


class Kind(IntEnum):
    """The kind of dependence that flows through a value; of two operands, the larger one decides."""

    NONE = 0  # no gradient: a constant, mask, index, size, object
    OPAQUE = 1  # through something unknown only
    DIFFERENTIABLE = 2


class Form(Enum):
    """The form in which a value depends on the incoming gradients."""

    ZERO = "zero"
    CONSTANT = "constant"
    LINEAR = "linear"
    AFFINE = "linear plus a constant"
    COMPARED = "by comparisons only"
    UNKNOWN = "unknown"


class Token(NamedTuple):
    """The origin of a dependence: a parameter, an incoming gradient, or a saved value."""

    sort: OneOf["input", "gradient", "saved"]
    name: str
    position: int


class Lost(NamedTuple):
    """The place where values left the graph, how, and which values they were."""

    span: Span
    how: str
    tokens: tuple[Token, ...]


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts of a value. `flows`: the tokens that it depends on, and where each was first used.

    `recorded`: in a forward, it has its path to the inputs: it is one, or was computed under `enable_grad`.
    """

    kind: Kind = Kind.NONE
    form: Form = Form.CONSTANT
    flows: Mapping[Token, Span | None] = field(default_factory=dict)
    lost: Lost | None = None
    recorded: bool = False


PLAIN = Facts()
ABSENT = Facts(form=Form.ZERO)


class Given(NamedTuple):
    """A call that analysis can't see into, which got some memory and an incoming gradient."""

    span: Span
    name: str


@dataclass(eq=False, slots=True)
class Store:
    """Memory that several things may share. `owner`: the token whose memory it is.

    `given`: a call that may have written an incoming gradient into it.
    """

    owner: Token | None = None
    written: Facts | None = None
    empty: bool = False
    given: Given | None = None


class _Missing:
    """No constant is known."""


MISSING = _Missing()


@dataclass(eq=False, slots=True)
class Thing:
    """One alternative of a value.

    `parts`: the items of a tuple or list; `fields`: their names, in a named tuple or dataclass; `keys`: those
    of a dictionary's items, as long as all are known.
    `pair`: values and indices, as `max` gives them.
    `elements`: what was unpacked from something opaque, by position. `number`: a Python number.
    `used_as_object`: a method was called on it that tensors don't have. `array`: a NumPy array.
    `hidden`: the memory of a tensor without its history, such as its ``data``: a write is not recorded.
    `whole`: a tensor of integers or booleans, through which no gradient flows, whatever is written into it.
    """

    own: Facts = PLAIN
    store: Store = field(default_factory=Store)
    span: Span | None = None
    name: str = ""
    rank: int = 99
    token: Token | None = None
    constant: object = MISSING
    parts: list[Item] | None = None
    entity: Dotted | Class | FunctionClass | Function | Bound | Partial | Instance | Record | None = None
    pair: bool = False
    elements: dict[object, Thing] = field(default_factory=dict)
    number: bool = False
    scope: Mapping[str, Value] | None = None
    used_as_object: bool = False
    array: bool = False
    hidden: bool = False
    whole: bool = False
    fields: tuple[str, ...] = ()
    keys: tuple[object, ...] | None = None
    born: int = 0  # how deep in branches and loops a list was made
    place: Thing | None = None  # what stands for the name or class attribute that holds it, outside of ctx

    @property
    def facts(self) -> Facts:
        """Own facts, and those of what was written into its memory."""
        found = self.own if self.store.written is None else blend([self.own, self.store.written])
        return Facts(form=any_form([found.form])) if self.whole else found


Value = tuple[Thing, ...]


class Item(NamedTuple):
    """An item of a list; a starred one stands for any number of such items."""

    value: Value
    starred: bool = False


@dataclass(frozen=True, eq=False)
class Instance:
    """An object of a class of the linted text."""

    of: Class


@dataclass(frozen=True, eq=False)
class Record:
    """A class that ``namedtuple("Name", "a b")`` makes, and its fields."""

    fields: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Bound:
    """A method that was looked up on a value, or on a class."""

    receiver: Value
    name: str


@dataclass(frozen=True, eq=False)
class Partial:
    """``functools.partial(function, *items, **named)``."""

    function: Value
    items: tuple[Item, ...]
    named: Mapping[str, Value]


def constant(value: object) -> Value:
    """A known Python constant."""
    facts = ABSENT if value is None or value == 0 else PLAIN
    return (Thing(facts, constant=value, number=not isinstance(value, str) and value is not None),)


def plain() -> Value:
    """Something that carries no gradient."""
    return (Thing(number=True),)


def union(*values: Value) -> Value:
    """All alternatives, each once; many of them are cut to the first sixteen."""
    return tuple(dict.fromkeys(thing for value in values for thing in value))[:16]


def merge_flows(facts: Iterable[Facts], span: Span | None) -> dict[Token, Span | None]:
    """Dependences of operands, where each enters at `span` unless it entered before."""
    flows: dict[Token, Span | None] = {}
    for fact in facts:
        for token, place in fact.flows.items():
            if flows.get(token) is None:
                flows[token] = place or span
    return flows


def combine(facts: list[Facts], form: Form, span: Span | None) -> Facts:
    """The facts of a differentiable function of operands."""
    kind = max((fact.kind for fact in facts), default=Kind.NONE)
    if kind is Kind.NONE:
        return Facts(form=form)
    lost = next((fact.lost for fact in facts if fact.lost), None)
    recorded = all(fact.recorded for fact in facts if fact.kind is not Kind.NONE)
    return Facts(kind, form, merge_flows(facts, span), lost, recorded)


def unrecorded(facts: Facts) -> Facts:
    """The facts of a value that has no path to what it is computed from."""
    return replace(facts, recorded=False) if facts.recorded else facts


def blend(facts: list[Facts]) -> Facts:
    """The facts of a value that is one of several, or partly each of them."""
    if len(facts) == 1:
        return facts[0]
    forms = {fact.form for fact in facts} - {Form.ZERO}
    form = Form.ZERO if not forms else forms.pop() if len(forms) == 1 else any_form(forms)
    return combine(facts, form, None)


def facts_of(value: Value) -> Facts:
    """The facts of a value; of a list, those of all its items together."""
    found = [thing.facts for thing in leaves(value, inside=False) if thing.parts is None]
    if any(thing.parts == [] for thing in value):
        found.append(PLAIN)
    return blend(found) if found else PLAIN


def leaves(value: Value, inside: bool = True) -> Iterator[Thing]:
    """The things of a value, and those of lists in it, each once.

    `inside`: those that were unpacked from something opaque, too.
    """
    waiting, seen = list(reversed(value)), set[int]()
    while waiting:
        thing = waiting.pop()
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        yield thing
        for item in reversed(thing.parts or ()):
            waiting += reversed(item.value)
        if inside:
            waiting += thing.elements.values()


LONGEST = 128


def bounded(items: list[Item]) -> list[Item]:
    """The items of a list; a very long one is any number of a few of them."""
    if len(items) <= LONGEST:
        return items
    return [Item(union(*(item.value for item in items[:LONGEST])), starred=True)]


def sum_form(forms: list[Form]) -> Form:
    """The form of a sum."""
    found = {form for form in forms if form is not Form.ZERO}
    if not found:
        return Form.ZERO
    if found & {Form.UNKNOWN, Form.COMPARED}:
        return any_form(found)
    return found.pop() if len(found) == 1 else Form.AFFINE


def product_form(forms: list[Form]) -> Form:
    """The form of a product."""
    if Form.ZERO in forms:
        return Form.ZERO
    moving = [form for form in forms if form is not Form.CONSTANT]
    return Form.CONSTANT if not moving else moving[0] if len(moving) == 1 else any_form(moving)


def placed_form(form: Form, written: Value) -> Form:
    """The form where a number that is not zero stands in some places, by a mask."""
    numbers = [t.constant for t in written if isinstance(t.constant, int | float) and t.constant != 0]
    placed = len(numbers) == len(written) == 1 and form in (Form.LINEAR, Form.AFFINE)
    return Form.AFFINE if placed else any_form([form, *(thing.facts.form for thing in written)])


def any_form(forms: Iterable[Form]) -> Form:
    """The form of an arbitrary function: constant where all operands are."""
    moving = {*forms} - {Form.ZERO, Form.CONSTANT}
    return Form.CONSTANT if not moving else Form.COMPARED if moving == {Form.COMPARED} else Form.UNKNOWN


def compared_form(forms: list[Form]) -> Form:
    """The form of a comparison."""
    return Form.CONSTANT if any_form(forms) is Form.CONSTANT else Form.COMPARED


def lose(facts: Facts, span: Span, how: str) -> Facts:
    """The facts of a fresh value that has lost the path to what it depends on."""
    if facts.kind is Kind.NONE or not facts.flows or facts.lost:
        return facts
    return replace(facts, lost=Lost(span, how, tuple(facts.flows)), flows=merge_flows([facts], span))
