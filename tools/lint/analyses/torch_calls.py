"""Results of PyTorch's functions and methods, from the facts of their operands."""

from __future__ import annotations

import ast
import itertools
import re
from dataclasses import dataclass, replace

from ..frontend.modules import Dotted
from . import containers, torch_names
from .collectives import RECEIVES, SENDS, Collective
from .state import State
from .statements import Statements, owns
from .values import (
    MISSING,
    Facts,
    Form,
    Item,
    Kind,
    Store,
    Thing,
    Value,
    any_form,
    combine,
    compared_form,
    facts_of,
    leaves,
    lose,
    placed_form,
    plain,
    product_form,
    sum_form,
    union,
    unrecorded,
)


@dataclass(frozen=True)
class Arguments:
    """The arguments of a call, and where it stands."""

    items: list[Item]
    named: dict[str, Value]
    node: ast.Call
    sources: tuple[ast.expr, ...] = ()  # the expression that each item comes from

    @property
    def values(self) -> list[Value]:
        """All of them."""
        return [*(item.value for item in self.items), *self.named.values()]

    @property
    def first(self) -> Value:
        """The first positional one."""
        return self.items[0].value if self.items else plain()

    def at(self, position: int, name: str) -> Value:
        """The one at a position, or of a name."""
        return self.items[position].value if position < len(self.items) else self.named.get(name, plain())


class TorchCalls(Statements):
    """Calls of functions and methods that PyTorch has. `sent`: what went to other processes."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[Facts] = []

    def arguments(self, node: ast.Call, state: State) -> Arguments:
        """Evaluate the arguments of a call."""
        items: list[Item] = []
        sources: list[ast.expr] = []
        for argument in node.args:
            value = self.evaluate(argument, state)
            items += containers.starred(value) if isinstance(argument, ast.Starred) else [Item(value)]
            sources += [argument] * (len(items) - len(sources))
        named: dict[str, Value] = {}
        for keyword in node.keywords:
            value = self.evaluate(keyword.value, state)
            named |= {keyword.arg: value} if keyword.arg else _unpacked(value)
        return Arguments(items, named, node, tuple(sources))

    def torch_method(self, receiver: Value, name: str, arguments: Arguments) -> Value:
        """``receiver.name(...)`` of a tensor."""
        node = arguments.node
        if torch_names.is_in_place(name):
            self._in_place(receiver, name, arguments)
            return receiver
        if name == "requires_grad_" or name in torch_names.NOT_WRITING:
            if name == "detach_":
                return union(*(self._cut(thing, name, node) for thing in receiver))
            return receiver
        operands = Arguments([Item(receiver), *arguments.items], arguments.named, node)
        return self.torch_function(name, operands)

    def torch_function(self, name: str, arguments: Arguments) -> Value:
        """``torch.name(...)``, and a method with its tensor as the first argument."""
        node = arguments.node
        if name in torch_names.METADATA:
            return plain()
        if filled := self._filled(name, arguments):
            return filled
        if name in torch_names.CREATION:
            return self._created(name, arguments)
        if name in torch_names.REFUSING:
            return self.fresh(Facts(Kind.DIFFERENTIABLE, Form.UNKNOWN), node)
        facts = [facts_of(value) for value in arguments.values]
        if name in torch_names.ZERO_DERIVATIVE:
            return self._without_derivative(name, facts, node)
        if name in torch_names.CUTS:
            return self._cutting(name, arguments)
        if "out" in arguments.named:
            return self._out(name, arguments, facts)
        if name in torch_names.MAYBE_SAME and arguments.items:
            return self._maybe_same(name, arguments)
        if name == "broadcast_tensors":
            return containers.make([Item(self._broadcast(i.value, node), i.starred) for i in arguments.items])
        if name.startswith("_foreach_") and name.endswith("_"):
            return self._each_in_place(name, arguments, facts)
        store = None
        if arguments.first and _shares(name, arguments.first[0]):
            store = arguments.first[0].store
        moving = self._carrying(name, arguments)
        form = self._placed(name, arguments) or self._form(name, facts)
        result = self.fresh(combine(moving, form, self.span(node)), node, store)
        if self.truth(arguments.named.get("inplace", ())) is True and owns(arguments.first):
            for thing in arguments.first:
                self.write(thing, result[0].facts, node, f"`{name}(..., inplace=True)`")
            return arguments.first
        thing = result[0]
        thing.whole = store is not None and all(operand.whole for operand in arguments.first)
        if name in torch_names.PAIRS and (
            name in ("topk", "sort", "kthvalue", "mode") or self._has_axis(arguments)
        ):
            thing.pair = True
        if name in ("slogdet",):
            thing.elements[0] = Thing()
        return result

    def _broadcast(self, value: Value, node: ast.Call) -> Value:
        """A tensor itself, where it has the common shape, or a view of it."""
        facts = facts_of(value)
        view = combine([facts], facts.form, self.span(node))
        return union(value, *(self.fresh(view, node, thing.store) for thing in value))

    def _each_in_place(self, name: str, arguments: Arguments, facts: list[Facts]) -> Value:
        """``torch._foreach_mul_(tensors, ...)``, which changes each tensor of a list."""
        made = combine(
            facts, self._form(name.removeprefix("_foreach_")[:-1], facts), self.span(arguments.node)
        )
        for thing in leaves(arguments.first):
            if thing.parts is None and not thing.number:
                self.write(thing, made, arguments.node, thing.store.owner is not None and f"`{name}`")
        return arguments.first

    def _carrying(self, name: str, arguments: Arguments) -> list[Facts]:
        """The operands that something flows through: not an index."""
        nothing = (torch_names.INDEX_OPERAND.get(name, -1), *torch_names.STATISTICS.get(name, ()))
        found = [facts_of(item.value) for index, item in enumerate(arguments.items) if index not in nothing]
        named = arguments.named.items()
        return found + [facts_of(value) for key, value in named if key not in torch_names.INDEX_NAMES]

    def _has_axis(self, arguments: Arguments) -> bool:
        if "dim" in arguments.named or "axis" in arguments.named:
            return True
        return len(arguments.items) > 1 and all(thing.number for thing in arguments.items[1].value)

    def _filled(self, name: str, arguments: Arguments) -> Value:
        """A tensor that numbers computed from others fill, without a history; nothing for other calls."""
        places = torch_names.FILL_OPERANDS.get(name, ())
        values = [arguments.items[place].value for place in places if place < len(arguments.items)]
        values += [
            value for key, value in arguments.named.items() if key in torch_names.FILL_NAMES and places
        ]
        facts = [facts_of(v) for v in values if not all(thing.whole for thing in v)]
        whole = name in torch_names.WHOLE or is_whole_dtype(arguments.node)
        if whole or all(fact.kind is Kind.NONE for fact in facts):
            return ()
        span = self.span(arguments.node)
        made = combine(facts, any_form([fact.form for fact in facts]), span)
        if self.cuts:
            which = "holds a copy" if name in torch_names.COPIES else "is filled with a number"
            made = lose(made, span, f"`{name}(...)`, which {which}")
        return (Thing(unrecorded(made), Store(), span),)

    def _created(self, name: str, arguments: Arguments) -> Value:
        form = Form.ZERO if name in torch_names.ZEROS or name in torch_names.EMPTY else Form.CONSTANT
        store = Store(empty=name in torch_names.EMPTY or name in torch_names.ZEROS)
        whole = name in torch_names.WHOLE or is_whole_dtype(arguments.node)
        return (Thing(Facts(form=form), store, self.span(arguments.node), whole=whole),)

    def _without_derivative(self, name: str, facts: list[Facts], node: ast.Call) -> Value:
        forms = [fact.form for fact in facts]
        form = Form.ZERO if name in torch_names.ZEROS or name in torch_names.EMPTY else any_form(forms)
        if name in torch_names.COMPARISONS:
            form = compared_form(forms)
        if name in (
            "ones_like",
            "full_like",
            "new_ones",
            "new_full",
            "new_tensor",
            "rand_like",
            "randn_like",
        ):
            form = Form.CONSTANT
        return (
            Thing(
                Facts(form=form),
                Store(empty=name in torch_names.EMPTY or name in torch_names.ZEROS),
                self.span(node),
                whole=name in torch_names.WHOLE or is_whole_dtype(node),
            ),
        )

    def _cut(self, thing: Thing, how: str, node: ast.AST) -> Value:
        facts = combine([thing.facts], thing.facts.form, self.span(node))
        if self.cuts:
            facts = lose(facts, self.span(node), f"`{how}`")
        made = Thing(unrecorded(facts), thing.store, self.span(node))
        made.number = how in ("item", "tolist", "data_ptr()", "ctypes") or thing.number
        made.array = how == "numpy"
        made.hidden = not made.number
        return (made,)

    def _cutting(self, name: str, arguments: Arguments) -> Value:
        if name in ("detach", "data", "detach_", "numpy", "item", "tolist"):
            return union(*(self._cut(thing, name, arguments.node) for thing in arguments.first))
        facts = facts_of(arguments.first)
        shown = {"Variable": "Variable(...)", "tensor": "torch.tensor(...)"}.get(name, f"torch.{name}(...)")
        made = combine([facts], facts.form, self.span(arguments.node))
        if self.cuts:
            made = lose(made, self.span(arguments.node), f"`{shown}`")
        return (Thing(unrecorded(made), Store(), self.span(arguments.node)),)

    def _maybe_same(self, name: str, arguments: Arguments) -> Value:
        """The operand, or a fresh tensor; of what no gradient flows through, a fresh one."""
        node = arguments.node
        if name in ("to", "type") and (is_whole_dtype(node) or "torch.int" in ast.unparse(node)):
            return self._without_derivative(name, [facts_of(arguments.first)], node)
        found: list[Value] = []
        for thing in arguments.first:
            facts = combine([thing.facts], thing.facts.form, self.span(node))
            if thing.number and facts.kind is Kind.NONE:
                found.append(self.fresh(Facts(), node))
                continue
            shared = thing.store if thing.store.owner and _shares(name, thing) else Store()
            found.append(union((thing,), self.fresh(facts, node, shared)))
        return union(*found)

    def _form(self, name: str, facts: list[Facts]) -> Form:
        forms = [fact.form for fact in facts]
        moving = [form for form in forms if form not in (Form.ZERO, Form.CONSTANT)]
        if name in torch_names.SUMS or name in ("add_", "sub_"):
            return sum_form(forms[:2])
        if name in torch_names.PRODUCTS:
            return product_form(forms)
        if name in torch_names.QUOTIENTS:
            return forms[0] if moving == forms[:1] else any_form(forms)
        if name in torch_names.LINEAR and moving == forms[:1]:
            return forms[0]
        if name in torch_names.LINEAR and forms and forms[0] is Form.ZERO:
            return Form.ZERO if not moving else Form.UNKNOWN
        if name in ("gather", "where", "masked_fill", "scatter", "scatter_add"):
            return moving[0] if len(moving) == 1 and Form.ZERO in forms else any_form(forms)
        return any_form(forms)

    def _placed(self, name: str, arguments: Arguments) -> Form | None:
        """The form of ``where(mask, x, 0.5)`` and ``x.masked_fill(mask, 0.5)``; None for other calls."""
        if name == "masked_fill":
            kept, written = arguments.first, arguments.at(2, "value")
        elif name == "where":
            kept, written = arguments.at(1, "input"), arguments.at(2, "other")
            if any(thing.constant is not MISSING for thing in kept):
                kept, written = written, kept
        else:
            return None
        form = placed_form(facts_of(kept).form, written)
        return form if form is Form.AFFINE else None

    def _in_place(self, receiver: Value, name: str, arguments: Arguments) -> None:
        if name == "copy_" and arguments.first == receiver:
            return
        if (
            name == "set_" and arguments.items and not owns(receiver)
        ):  # the memory of another one from here on
            for thing, other in itertools.product(receiver, arguments.first[:1]):
                thing.own, thing.store = other.facts, other.store
            return
        span = self.span(arguments.node)
        base = name[:-1]
        operands = replace(arguments, items=[Item(receiver), *arguments.items])
        facts = self._carrying(base, operands)
        if name in ("zero_",):
            made = Facts(form=Form.ZERO)
        elif name in torch_names.ZERO_DERIVATIVE or base in torch_names.ZERO_DERIVATIVE:
            made = Facts(form=any_form([fact.form for fact in facts]))
        elif base in ("copy", "fill"):
            made = combine(facts[1:], facts[1].form if len(facts) > 1 else Form.CONSTANT, span)
        elif base in torch_names.SUMS:
            made = combine(facts, sum_form([fact.form for fact in facts[:2]]), span)
        else:
            form = self._placed(base, operands) or self._form(base, [facts_of(v) for v in operands.values])
            made = combine(facts, form, span)
        if self.cuts and not self.grad_mode:
            made = lose(made, span, "`torch.no_grad()`")
        for thing in receiver:
            self.write(thing, made, arguments.node, owns(receiver) and f"`{name}`")

    def communicate(self, how: Collective, arguments: Arguments) -> Value:
        """A collective call: what it writes is computed from what it reads, and not recorded."""
        span, name = self.span(arguments.node), ast.unparse(arguments.node.func)
        target = arguments.at(*how.writes)
        read = facts_of(arguments.at(*how.reads))
        made = unrecorded(combine([read], read.form, span))
        if self.cuts:
            made = lose(made, span, f"the collective `{name}`, which PyTorch does not record")
        for thing in leaves(target):
            if thing.parts is None and not thing.number:
                self.write(thing, made, arguments.node, owns(target) and f"`{name}`")
        return plain()

    def exchange(self, name: str, arguments: Arguments) -> Value:
        """A message to another process, or one from there: the other one sends what this one does."""
        if name == "P2POp":
            given = arguments.first[0].entity if arguments.first else None
            name = given.name.rpartition(".")[2] if isinstance(given, Dotted) else ""
            arguments = replace(arguments, items=arguments.items[1:])
        target = arguments.at(0, "tensor")
        if name in SENDS:
            self.sent.append(facts_of(target))
        if name in RECEIVES and self.sent:
            span = self.span(arguments.node)
            made = unrecorded(combine(self.sent, Form.UNKNOWN, span))
            if self.cuts:
                made = lose(made, span, "another process, which PyTorch does not record")
            for thing in leaves(target):
                self.write(thing, made, arguments.node, owns(target) and f"`{name}`")
        return plain()

    def _out(self, name: str, arguments: Arguments, facts: list[Facts]) -> Value:
        target = arguments.named["out"]
        rest = facts[: len(arguments.items)]
        rest += [facts_of(value) for key, value in arguments.named.items() if key != "out"]
        made = combine(rest, self._form(name, rest), self.span(arguments.node))
        for thing in leaves(target):
            self.write(thing, made, arguments.node, owns(target) and "`out=`")
        return target


def _shares(name: str, thing: Thing) -> bool:
    """True if a result has its operand's memory; of a saved value, only if it is a view in any layout."""
    saved = thing.store.owner is not None and thing.store.owner.sort == "saved"
    return name in torch_names.VIEWS or (name in torch_names.MAYBE_VIEWS and not saved)


WHOLE_DTYPE = re.compile(r"(?:torch|np|numpy)\.(?:u?int(?:16|32|64)?|long|short|bool_?)")


def is_whole_dtype(node: ast.Call) -> bool:
    """True if a call says a dtype of integers or booleans; those of 8 bits may hold quantized values."""
    values = [*node.args, *(keyword.value for keyword in node.keywords if keyword.arg == "dtype")]
    names = (value.id if isinstance(value, ast.Name) else "" for value in values)
    dotted = (ast.unparse(value) if isinstance(value, ast.Attribute) else "" for value in values)
    return any(map(WHOLE_DTYPE.fullmatch, dotted)) or any(name in ("bool", "int", "long") for name in names)


def _unpacked(value: Value) -> dict[str, Value]:
    """The arguments that ``**value`` gives; under ``**`` where their names are not known."""
    keys = value[0].keys if len(value) == 1 else None
    names = [key for key in keys or () if isinstance(key, str)]
    if keys is None or len(names) != len(keys):
        return {"**": value}
    return {name: item.value for name, item in zip(names, value[0].parts or (), strict=True)}
