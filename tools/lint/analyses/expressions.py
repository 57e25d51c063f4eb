"""The value of an expression, from the values of its operands."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod

from ....transpile.ir import Span
from ..frontend.classes import FunctionClass, as_function
from ..frontend.modules import Class, Dotted, Entity, Expression, Function, TorchModule
from . import containers
from .outside import CONTENTS, Outside
from .records import made_fields
from .state import State
from .values import (
    MISSING,
    Bound,
    Facts,
    Form,
    Item,
    Kind,
    Record,
    Store,
    Thing,
    Value,
    any_form,
    combine,
    compared_form,
    constant,
    facts_of,
    lose,
    plain,
    product_form,
    sum_form,
    union,
    unrecorded,
)


class Expressions(ABC):
    """Evaluates expressions in the frame of one function."""

    module: TorchModule
    grad_mode: bool = True
    cuts: bool = False  # whether leaving the graph is looked for: in a backward
    outside: Outside

    @abstractmethod
    def call(self, node: ast.Call, state: State) -> Value:
        """The value of a call."""

    @abstractmethod
    def attribute(self, node: ast.Attribute, state: State) -> Value:
        """The value of an attribute."""

    def span(self, node: ast.AST) -> Span:
        """The place of a node."""
        return self.module.span(node)

    def fresh(self, facts: Facts, node: ast.AST, store: Store | None = None) -> Value:
        """A new thing; what is computed while nothing is recorded has lost its path."""
        span = self.span(node)
        if self.cuts and not self.grad_mode:
            facts = lose(facts, span, "`torch.no_grad()`")
        if not self.grad_mode:
            facts = unrecorded(facts)
        return (Thing(facts, store or Store(), span),)

    def evaluate(self, node: ast.expr | None, state: State) -> Value:
        """The value of an expression."""
        match node:
            case None:
                return constant(None)
            case ast.Constant(value=value):
                return constant(value)
            case ast.Name(id=name):
                return self.name(name, state)
            case ast.Attribute():
                return self.attribute(node, state)
            case ast.Call():
                return self.call(node, state)
            case ast.BinOp():
                return self._binary(node, state)
            case ast.UnaryOp():
                return self._unary(node, state)
            case ast.Compare():
                return self._compare(node, state)
            case ast.BoolOp(values=values):
                return self._boolean(node, [self.evaluate(value, state) for value in values])
            case ast.IfExp(test=test, body=body, orelse=orelse):
                known = self.truth(self.evaluate(test, state))
                if known is not None:
                    return self.evaluate(body if known else orelse, state)
                return union(self.evaluate(body, state), self.evaluate(orelse, state))
            case ast.Tuple(elts=elements) | ast.List(elts=elements) | ast.Set(elts=elements):
                return self.new_list(self._items(elements, state))
            case ast.Dict(keys=keys, values=values):
                return self._dictionary(keys, values, state)
            case ast.Subscript():
                return self._subscript(node, state)
            case ast.Starred(value=value):
                return self.evaluate(value, state)
            case ast.Lambda():
                return (Thing(entity=Function(node, self.module), scope=state.names),)
            case ast.NamedExpr(target=target, value=value):
                state.names[target.id] = self.evaluate(value, state)
                return state.names[target.id]
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp():
                return self._comprehension(node.elt, node.generators, state)
            case ast.DictComp():
                return self._comprehension(node.value, node.generators, state)
            case ast.Await(value=value):
                return self.evaluate(value, state)
        return plain()

    def name(self, name: str, state: State) -> Value:
        """The binding of a name: here, around here, or at the module's top level."""
        if name in state.names:
            return state.names[name]
        entity = self.module.entity(name)
        if entity is None:
            return (Thing(entity=Dotted(f"builtins.{name}"), number=True),)
        if isinstance(entity, Expression):
            return self.kept(entity.node, name, name, self.of_expression(entity), state)
        return self.of_entity(entity)

    @abstractmethod
    def kept(self, owner: object, name: str, shown: str, value: Value, state: State) -> Value:
        """The value that the class keeps in a name of a module or attribute of a class; else its own."""

    def of_entity(self, entity: Entity) -> Value:
        """A top-level name as a value."""
        if isinstance(entity, Class):
            return (Thing(entity=as_function(entity) or entity),)
        if isinstance(entity, Expression):
            return self.of_expression(entity)
        return (Thing(entity=entity),)

    def of_expression(self, found: Expression) -> Value:
        """A top-level or class attribute: a constant, or ``Class.apply``, or something unknown."""
        node = found.node
        if isinstance(node, ast.Constant):
            return constant(node.value) if node.value is not None else plain()
        if isinstance(node, ast.Attribute) and node.attr == "apply" and isinstance(node.value, ast.Name):
            owner = found.module.entity(node.value.id)
            if isinstance(owner, Class):
                return (Thing(entity=Bound(self.of_entity(owner), "apply")),)
        if isinstance(node, ast.Attribute) and (dotted := _imported_name(node, found.module)) is not None:
            return (Thing(entity=dotted),)
        if isinstance(node, ast.Call):
            fields = made_fields(node, found)
            if fields is not None:
                return (Thing(entity=Record(tuple(field.name for field in fields))),)
            return (Thing(entity=Dotted(f"{ast.unparse(node.func)}()")),)
        return plain()

    def truth(self, value: Value) -> bool | None:
        """True if a value is known to be true, or false."""
        found = {_truth(thing) for thing in value}
        return found.pop() if len(found) == 1 else None

    def _items(self, elements: list[ast.expr], state: State) -> list[Item]:
        items: list[Item] = []
        for node in elements:
            if isinstance(node, ast.Starred):
                items += containers.starred(self.evaluate(node.value, state))
            else:
                items.append(Item(self._written(node, state)))
        return items

    def _written(self, node: ast.expr, state: State) -> Value:
        """The value of an item; what has no name is called as it is written."""
        value = self.evaluate(node, state)
        for thing in value if isinstance(node, ast.Call) else ():
            thing.name = thing.name or ast.unparse(node)
        return value

    def _dictionary(self, keys: list[ast.expr | None], values: list[ast.expr], state: State) -> Value:
        found = [self.evaluate(value, state) for value in values]
        known: list[object] = [key.value for key in keys if isinstance(key, ast.Constant)]
        if len(known) == len(keys) == len({*known}):
            return self.new_dictionary(known, found)
        parts = [
            item
            for key, value in zip(keys, found, strict=True)
            for item in ([Item(containers.element_of(value), True)] if key is None else [Item(value)])
        ]
        return self.new_list(parts)

    def _binary(self, node: ast.BinOp, state: State) -> Value:
        chain, first = [node], node.left
        while isinstance(first, ast.BinOp):  # a sum of a thousand terms is nested as deeply
            chain.append(first)
            first = first.left
        left = self.evaluate(first, state)
        for one in reversed(chain):
            left = self.operate(one.op, left, self.evaluate(one.right, state), one)
        return left

    def operate(self, operator: ast.operator, left: Value, right: Value, node: ast.AST) -> Value:
        """The value of an arithmetic operator."""
        if isinstance(operator, ast.Add) and (found := containers.concatenated(left, right)) is not None:
            return found
        if isinstance(operator, ast.Mult):
            found = containers.repeated(left, right) or containers.repeated(right, left)
            if found is not None:
                return found
        known = _fold(operator, left, right)
        if known is not MISSING:
            return constant(known)
        facts = [facts_of(left), facts_of(right)]
        if all(thing.number for thing in (*left, *right)) and facts[0].kind is facts[1].kind is Kind.NONE:
            return plain()
        forms = [fact.form for fact in facts]
        form = any_form(forms)
        match operator:
            case ast.FloorDiv() | ast.BitAnd() | ast.BitOr() | ast.BitXor() | ast.LShift() | ast.RShift():
                return self.fresh(Facts(form=form), node)
            case ast.Add() | ast.Sub():
                form = sum_form(forms)
            case ast.Mult() | ast.MatMult():
                form = product_form(forms)
            case ast.Div() if forms[1] is Form.CONSTANT:
                form = forms[0]
        return self.fresh(combine(facts, form, self.span(node)), node)

    def _unary(self, node: ast.UnaryOp, state: State) -> Value:
        value = self.evaluate(node.operand, state)
        facts = facts_of(value)
        match node.op:
            case ast.Not():
                known = self.truth(value)
                return plain() if known is None else constant(not known)
            case ast.Invert():
                return self.fresh(Facts(form=any_form([facts.form])), node)
            case ast.USub() if len(value) == 1 and isinstance(value[0].constant, int | float):
                return constant(-value[0].constant)
        if all(thing.number for thing in value) and facts.kind is Kind.NONE:
            return plain()
        return self.fresh(combine([facts], facts.form, self.span(node)), node)

    def _compare(self, node: ast.Compare, state: State) -> Value:
        left = self.evaluate(node.left, state)
        rights = [self.evaluate(right, state) for right in node.comparators]
        operator, right = node.ops[0], rights[0]
        if len(rights) == 1 and isinstance(operator, ast.Is | ast.IsNot) and _is_none(right) is True:
            self.tested(left)
            none = _is_none(left)
            return plain() if none is None else constant(none is isinstance(operator, ast.Is))
        if len(rights) == 1 and isinstance(operator, ast.Eq | ast.NotEq):
            one, two = (v[0].constant if len(v) == 1 else MISSING for v in (left, right))
            if one is not MISSING and two is not MISSING:
                return constant((one == two) is isinstance(operator, ast.Eq))
        if all(thing.number for value in (left, *rights) for thing in value):
            return plain()
        forms = [facts_of(value).form for value in (left, *rights)]
        compared = self.fresh(Facts(form=compared_form(forms)), node)
        compared[0].whole = True
        return compared

    @abstractmethod
    def tested(self, value: Value) -> None:
        """A value is compared with None here."""

    def _boolean(self, node: ast.BoolOp, values: list[Value]) -> Value:
        stop = isinstance(node.op, ast.Or)
        kept: list[Value] = []
        for value in values:
            known = self.truth(value)
            if known is (not stop) and value is not values[-1]:
                continue
            kept.append(value)
            if known is stop:
                break
        if kept and self.truth(kept[0]) is stop:
            return kept[0]
        return union(*kept) if kept else values[-1]

    def _subscript(self, node: ast.Subscript, state: State) -> Value:
        value = self.evaluate(node.value, state)
        index = node.slice
        if isinstance(index, ast.Slice):
            start, stop = (_number(self.evaluate(part, state)) for part in (index.lower, index.upper))
            bounds = (index.lower is None or start is not None, index.upper is None or stop is not None)
            return union(*(self._sliced(thing, start, stop, bounds, node) for thing in value))
        position = self.evaluate(index, state)
        number: object = _number(position)
        if number is None and position and isinstance(position[0].constant, str):
            number = position[0].constant
        found = (self._indexed(thing, number, index, position, node, state) for thing in value)
        return union(*found) or plain()

    def _sliced(
        self, thing: Thing, start: int | None, stop: int | None, known: tuple[bool, bool], node: ast.AST
    ) -> Value:
        if thing.parts is None:
            return self._part(thing, node, shares=True)
        if all(known):
            return containers.slice_of(thing, start, stop)
        return containers.make([Item(item.value, starred=True) for item in thing.parts])

    def _indexed(
        self, thing: Thing, number: object, index: ast.expr, at: Value, node: ast.AST, state: State
    ) -> Value:
        if thing.place is not None and (kept := self.outside.take(thing.place, CONTENTS, state.heap)):
            return kept
        if isinstance(thing.entity, Bound) and thing.entity.name == "__dict__":
            return union(*(self.attribute_at(owner, at, node, state) for owner in thing.entity.receiver))
        if thing.keys is not None:
            return containers.at_key(thing, at)
        if thing.parts is not None:
            if isinstance(number, int):
                return containers.item_at(thing, number)
            return containers.element_of((thing,))
        if number is not None and (thing.pair or thing.facts.kind is Kind.OPAQUE):
            return (containers.element(thing, number),)
        counted = bool(at) and all(part.number for part in at)  # a loop's variable, or another number
        shares = counted or number is not None or (isinstance(index, ast.Tuple) and _is_basic(index))
        return self._part(thing, node, shares or isinstance(index, ast.Slice))

    def _part(self, thing: Thing, node: ast.AST, shares: bool) -> Value:
        if thing.number and thing.facts.kind is Kind.NONE:
            return plain()
        facts = thing.facts
        return self.fresh(
            combine([facts], facts.form, self.span(node)), node, thing.store if shares else None
        )

    def _comprehension(self, body: ast.expr, loops: list[ast.comprehension], state: State) -> Value:
        inner = State(dict(state.names), state.heap)
        first = loops[0]
        items = containers.starred(self.evaluate(first.iter, state))
        plainly = len(loops) == 1 and not first.ifs and len(items) <= 8
        made: list[Item] = []
        for item in items:
            self.assign(first.target, item.value, inner)
            for loop in loops[1:]:
                self.assign(loop.target, containers.element_of(self.evaluate(loop.iter, inner)), inner)
            for test in (test for loop in loops for test in loop.ifs):
                self.evaluate(test, inner)
            made.append(Item(self.evaluate(body, inner), item.starred or not plainly))
        return self.new_list(made)

    @abstractmethod
    def attribute_at(self, thing: Thing, name: Value, node: ast.AST, state: State) -> Value:
        """An attribute whose name is a value."""

    @abstractmethod
    def new_list(self, items: list[Item]) -> Value:
        """A list that is made here."""

    @abstractmethod
    def new_dictionary(self, keys: list[object], values: list[Value]) -> Value:
        """A dictionary that is made here."""

    @abstractmethod
    def assign(self, target: ast.expr, value: Value, state: State) -> None:
        """Bind the names of a target."""


def _imported_name(node: ast.Attribute, module: TorchModule) -> Dotted | None:
    """The full name of ``torch.distributed.all_reduce`` in a text that imports its module."""
    root, _, rest = ast.unparse(node).partition(".")
    entity = module.entity(root)
    return Dotted(f"{entity.name}.{rest}") if isinstance(entity, Dotted) else None


def _truth(thing: Thing) -> bool | None:
    if thing.constant is not MISSING:
        return bool(thing.constant)
    if isinstance(thing.entity, FunctionClass | Function | Class):
        return True
    return None


def _is_none(value: Value) -> bool | None:
    found = {
        True if t.constant is None else False if t.constant is not MISSING or t.parts is not None else None
        for t in value
    }
    return found.pop() if len(found) == 1 else None


def _number(value: Value) -> int | None:
    known = value[0].constant if len(value) == 1 else None
    return known if isinstance(known, int) and not isinstance(known, bool) else None


def _is_basic(index: ast.Tuple) -> bool:
    """True if an index only slices: the result then is a view."""
    return all(
        isinstance(part, ast.Slice | ast.Constant)
        or (isinstance(part, ast.UnaryOp) and isinstance(part.op, ast.USub))
        for part in index.elts
    )


def _fold(operator: ast.operator, left: Value, right: Value) -> object:
    if len(left) != 1 or len(right) != 1:
        return MISSING
    one, two = left[0].constant, right[0].constant
    if type(one) is not int or type(two) is not int or max(abs(one), abs(two)) > 10_000:
        return MISSING
    match operator:
        case ast.Add():
            return one + two
        case ast.Sub():
            return one - two
        case ast.Mult():
            return one * two
    return MISSING
