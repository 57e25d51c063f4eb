"""Runs statements over what is known, both branches of an ``if``, loops twice."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field, replace

from ....transpile.ir import Span
from ..frontend.classes import last_name, method_of, resolve
from ..frontend.modules import Class, Function, TorchModule, imported
from . import containers, torch_names
from .outside_places import OutsidePlaces
from .state import Heap, State, join
from .values import (
    MISSING,
    Facts,
    Form,
    Item,
    Kind,
    Thing,
    Token,
    Value,
    blend,
    bounded,
    combine,
    constant,
    facts_of,
    lose,
    placed_form,
    plain,
    product_form,
    sum_form,
    union,
    unrecorded,
)


@dataclass(frozen=True)
class Return:
    """A return: what, where, and what attributes hold there."""

    value: Value
    span: Span
    heap: Heap
    node: ast.expr | None = None


@dataclass
class Frame:
    """One running function. `leaving`: states at ``break`` and ``continue``."""

    returns: list[Return] = field(default_factory=list)
    leaving: list[State] = field(default_factory=list)
    loops: int = 0
    shared: set[str] = field(default_factory=set)  # names of the module that it binds


@dataclass(frozen=True)
class Write:
    """Memory that is changed in place. `owner` says whose it was.

    `certain`: by what only tensors have, not ``x += 1``.
    """

    owner: Token
    span: Span
    how: str
    certain: bool


class Statements(OutsidePlaces):
    """Runs the statements of one function after the other, calls inlined."""

    depth: int
    steps: int

    def __init__(self) -> None:
        self.frame = Frame()
        self.depth = 0
        self.steps = 20_000
        self.writes: list[Write] = []
        self.unused: ast.expr | None = None  # the last one whose value nothing takes

    def run(self, body: list[ast.stmt], state: State | None) -> State | None:
        """The state after statements, or None where none of them ends."""
        for statement in body:
            if state is None or self.steps <= 0:
                return state
            self.steps -= 1
            state = self._statement(statement, state)
        return state

    def _statement(self, node: ast.stmt, state: State) -> State | None:
        match node:
            case ast.Expr(value=value):
                self.unused = value
                self.evaluate(value, state)
            case ast.Assign(targets=targets, value=value):
                found = self.evaluate(value, state)
                for target in targets:
                    self.assign(target, found, state)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self.assign(target, self.evaluate(value, state), state)
            case ast.AugAssign():
                self._augmented(node, state)
            case ast.Return(value=value):
                found = self.evaluate(value, state)
                self.frame.returns.append(Return(found, self.span(node), dict(state.heap), value))
                return None
            case ast.If(test=test, body=body, orelse=orelse):
                return self._branch(test, body, orelse, state)
            case ast.For(target=target, iter=iterable, body=body, orelse=orelse):
                return self._for(target, self.evaluate(iterable, state), body, orelse, state)
            case ast.While(test=test, body=body, orelse=orelse):
                self.evaluate(test, state)
                endless = isinstance(test, ast.Constant) and bool(test.value)
                return self.run(orelse, self._loop(body, state, endless=endless))
            case ast.With(items=items, body=body):
                return self._with(items, body, state)
            case ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=final):
                before = state.fork()
                ends = [self.run(orelse, self.run(body, state))]
                ends += [self.run(handler.body, before.fork()) for handler in handlers]
                return self.run(final, join(ends))
            case ast.Match(subject=subject, cases=cases):
                self.evaluate(subject, state)
                return join([state, *(self.run(case.body, state.fork()) for case in cases)])
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                state.names[name] = (Thing(entity=Function(node, self.module), scope=state.names),)
            case ast.ClassDef(name=name):
                state.names[name] = (Thing(entity=Class(node, self.module)),)
            case ast.Import() | ast.ImportFrom():
                for name, dotted in imported(node).items():
                    entity = self.module.program.follow(dotted, self.module)
                    state.names[name] = self.of_entity(entity)
            case ast.Delete(targets=targets):
                for target in targets:
                    if isinstance(target, ast.Name):
                        state.names.pop(target.id, None)
            case ast.Global(names=names):
                self.frame.shared.update(names)
            case ast.Raise():
                return None
            case ast.Break() | ast.Continue():
                self.frame.leaving.append(state)
                return None
        return state

    def _branch(
        self, test: ast.expr, body: list[ast.stmt], orelse: list[ast.stmt], state: State
    ) -> State | None:
        known = self.truth(self.evaluate(test, state))
        if known is not None:
            return self.run(body if known else orelse, state)
        other = state.fork()
        self._narrow(test, state, other)
        self.frame.loops += 1
        ends = [self.run(body, state), self.run(orelse, other)]
        self.frame.loops -= 1
        return join(ends)

    def _narrow(self, test: ast.expr, then: State, other: State) -> None:
        """After ``if x is None``, the name is None in one branch and isn't in the other.

        After ``if isinstance(x, torch.Tensor)`` it is no tensor in the other.
        """
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            test, then, other = test.operand, other, then
        tested = is_tensor_test(test)
        if tested is not None:
            other.names[tested] = plain()
        if not isinstance(test, ast.Compare) or not isinstance(test.left, ast.Name):
            return
        if len(test.ops) != 1 or not isinstance(test.ops[0], ast.Is | ast.IsNot):
            return
        right = test.comparators[0]
        if not isinstance(right, ast.Constant) or right.value is not None:
            return
        if isinstance(test.ops[0], ast.IsNot):
            then, other = other, then
        name = test.left.id
        then.names[name] = constant(None)
        kept = tuple(thing for thing in other.names.get(name, ()) if thing.constant is not None)
        if kept:
            other.names[name] = kept

    def _for(
        self, target: ast.expr, value: Value, body: list[ast.stmt], orelse: list[ast.stmt], state: State
    ) -> State | None:
        items = containers.starred(value)
        if 0 < len(items) <= 8 and not any(item.starred for item in items):
            ends: State | None = state
            outer, self.frame.leaving = self.frame.leaving, []
            for item in items:
                if ends is not None:
                    self.assign(target, item.value, ends)
                    ends = self.run(body, ends)
            ends = join([ends, *self.frame.leaving])
            self.frame.leaving = outer
            return self.run(orelse, ends)
        return self.run(orelse, self._loop(body, state, target, containers.element_of(value)))

    def _loop(
        self,
        body: list[ast.stmt],
        state: State,
        target: ast.expr | None = None,
        item: Value = (),
        endless: bool = False,
    ) -> State | None:
        """The state after a loop, which may run zero times unless it is endless: then a ``break`` ends it."""
        outer, self.frame.leaving = self.frame.leaving, []
        self.frame.loops += 1
        current: State | None = state
        left: list[State] = []
        for _ in range(2):
            if current is None:
                break
            inner = current.fork()
            if target is not None:
                self.assign(target, item or plain(), inner)
            current = join([current, self.run(body, inner), *self.frame.leaving])
            left += self.frame.leaving
            self.frame.leaving = []
        self.frame.loops -= 1
        self.frame.leaving = outer
        return join(left) if endless else current

    def _with(self, items: list[ast.withitem], body: list[ast.stmt], state: State) -> State | None:
        before = self.grad_mode
        for item in items:
            value = self.evaluate(item.context_expr, state)
            if item.optional_vars is not None:
                self.assign(item.optional_vars, value, state)
            self.grad_mode = grad_mode(item.context_expr, self.grad_mode)
            if isinstance(item.context_expr, ast.Call) and turns_off(item.context_expr.func, self.module):
                self.grad_mode = False
        after = self.run(body, state)
        self.grad_mode = before
        return after

    def new_list(self, items: list[Item]) -> Value:
        """A list that is made here."""
        return (Thing(parts=bounded(items), born=self.frame.loops),)

    def new_dictionary(self, keys: list[object], values: list[Value]) -> Value:
        """A dictionary that is made here."""
        return containers.dictionary(keys, values, self.frame.loops)

    def assign(self, target: ast.expr, value: Value, state: State) -> None:
        """Bind the names of a target."""
        match target:
            case ast.Name(id=name):
                for thing in value:
                    if self.depth < thing.rank or not thing.name:
                        thing.name, thing.rank = name, self.depth
                state.names[name] = value or plain()
                if name in self.frame.shared:
                    del state.names[name]
                    self.keep(target, name, value, state)
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                stars = [index for index, t in enumerate(targets) if isinstance(t, ast.Starred)]
                before = stars[0] if stars else len(targets)
                after = len(targets) - before - 1 if stars else None
                for inner, found in zip(targets, containers.unpack(value, before, after), strict=True):
                    self.assign(inner.value if isinstance(inner, ast.Starred) else inner, found, state)
            case ast.Attribute(value=owner, attr=name):
                for thing in self.evaluate(owner, state):
                    self.set_attribute(thing, name, value, target, state)
            case ast.Subscript(value=owner, slice=index):
                owners, at = self.evaluate(owner, state), self.evaluate(index, state)
                for thing in owners:
                    self.store_outside(thing, at, value, target, state)
                self._store_item(owners, at, value, target)

    def set_attribute(self, thing: Thing, name: str, value: Value, node: ast.AST, state: State) -> None:
        """``thing.name = value``."""
        state.heap[thing, name] = value
        if name == "data" and self.cuts and thing.entity is None and thing.parts is None:
            how = "an assignment to its `.data`, which PyTorch does not record"
            made = lose(facts_of(value), self.span(node), how)
            self.write(thing, made, node, owns((thing,)) and "an assignment to its `.data`")

    def _store_item(self, owner: Value, index: Value, value: Value, node: ast.AST) -> None:
        key = index[0].constant if len(index) == 1 else None
        how = not isinstance(key, str) and owns(owner) and "an assignment to its entries"  # or a dictionary's
        for thing in owner:
            if thing.parts is not None:
                self._replace(thing, key, value)
            elif not thing.number:
                made = blend([thing.facts, facts_of(value)])
                if made.form is Form.UNKNOWN:
                    made = replace(made, form=placed_form(thing.facts.form, value))
                self.write(thing, made, node, how)

    def _replace(self, thing: Thing, index: object, value: Value) -> None:
        parts = thing.parts if thing.parts is not None else []
        if thing.keys is not None and index is not MISSING:
            if index not in thing.keys:
                thing.keys = (*thing.keys, index)
                parts.append(Item(value))
                return
            index = thing.keys.index(index)
        thing.keys = thing.keys if isinstance(index, int) else None
        plainly = not any(item.starred for item in parts)
        if plainly and isinstance(index, int) and -len(parts) <= index < len(parts):
            kept = parts[index].value if self.frame.loops > thing.born else ()
            parts[index] = Item(union(kept, value))
        else:
            parts[:] = [Item(union(item.value, value), item.starred) for item in parts] or [Item(value, True)]

    def _augmented(self, node: ast.AugAssign, state: State) -> None:
        if isinstance(node.target, ast.Name):
            old = self.name(node.target.id, state)
        else:
            old = self.evaluate(node.target, state)
        right = self.evaluate(node.value, state)
        self.updated(node, state)
        if any(thing.parts is not None for thing in (*old, *right)):
            self.assign(node.target, self.operate(node.op, old, right, node), state)
            return
        if all(thing.number for thing in old):
            self.assign(node.target, self.operate(node.op, old, right, node), state)
            return
        forms = [facts_of(old).form, facts_of(right).form]
        form = sum_form(forms) if isinstance(node.op, ast.Add | ast.Sub) else product_form(forms)
        facts = combine([facts_of(old), facts_of(right)], form, self.span(node))
        for thing in old:
            if not thing.number:
                self.write(thing, facts, node, owns(old) and "an augmented assignment", certain=False)
        if isinstance(node.target, ast.Subscript):
            self._store_item(self.evaluate(node.target.value, state), plain(), right, node)
        elif isinstance(node.target, ast.Attribute):
            self.assign(node.target, old, state)

    def updated(self, node: ast.AugAssign, state: State) -> None:
        """An augmented assignment runs."""

    def write(self, thing: Thing, facts: Facts, node: ast.AST, how: str | bool, certain: bool = True) -> None:
        """A thing's memory gets new entries; `how` is False where it may be another thing's."""
        store, facts = thing.store, facts if self.grad_mode else unrecorded(facts)
        if thing.hidden and self.cuts:
            facts = lose(facts, self.span(node), "a write that PyTorch does not record")
        if store.owner is not None and isinstance(how, str):
            self.writes.append(Write(store.owner, self.span(node), how, certain))
        if thing.token is None or thing.token.sort != "input":
            thing.own = replace(facts, lost=facts.lost or thing.own.lost)
        store.written = facts if store.written is None else blend([store.written, facts])
        if facts.kind is not Kind.NONE:
            store.empty = False


def is_tensor_test(test: ast.expr) -> str | None:
    """The name ``x`` of ``isinstance(x, torch.Tensor)`` or ``torch.is_tensor(x)``."""
    if not isinstance(test, ast.Call) or not test.args or not isinstance(test.args[0], ast.Name):
        return None
    called, others = ast.unparse(test.func), [ast.unparse(node) for node in test.args[1:]]
    is_instance = called == "isinstance" and others in (["torch.Tensor"], ["Tensor"])
    return test.args[0].id if is_instance or called == "torch.is_tensor" else None


def owns(value: Value) -> bool:
    """True if what is written is somebody's for certain: a parameter's, a gradient's, a saved value's."""
    return all(thing.store.owner is not None for thing in value)


def grad_mode(node: ast.expr, current: bool) -> bool:
    """True if operations are recorded inside ``with node:``."""
    name = ""
    if isinstance(node, ast.IfExp):
        return grad_mode(node.body, current) and grad_mode(node.orelse, current)
    if isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        first = node.args[0] if node.args else None
        if name == "set_grad_enabled" and isinstance(first, ast.Constant):
            return bool(first.value)
    if name in torch_names.MODES_OFF:
        return False
    return True if name == "enable_grad" else current


def turns_off(called: ast.expr, module: TorchModule) -> bool:
    """True for a context manager of the linted tree in which nothing is recorded."""
    entity = resolve(called, module)
    if isinstance(entity, Function) and isinstance(entity.node, ast.FunctionDef):
        managers = {last_name(one) for one in entity.node.decorator_list}
        return "contextmanager" in managers and _yields_off(entity.node.body, on=True)
    method = method_of(entity, "__enter__") if isinstance(entity, Class) else None
    if method is None:
        return False
    entered = [node for node in ast.walk(method.node) if isinstance(node, ast.Call)]
    if any(not grad_mode(call, True) and last_name(call) == "set_grad_enabled" for call in entered):
        return True
    held = {last_name(node) for node in ast.walk(method.owner.node) if isinstance(node, ast.Call)}
    return bool(held & torch_names.MODES_OFF) and any(last_name(call) == "__enter__" for call in entered)


def _yields_off(body: list[ast.stmt], on: bool) -> bool:
    """True if a ``yield`` in these statements stands where nothing is recorded."""
    for statement in body:
        match statement:
            case ast.With(items=items, body=inner):
                within = on
                for item in items:
                    within = grad_mode(item.context_expr, within)
                if _yields_off(inner, within):
                    return True
            case ast.Expr(value=ast.Call() as call):
                on = grad_mode(call, on) if last_name(call) == "set_grad_enabled" else on
            case ast.Expr(value=ast.Yield()) if not on:
                return True
            case ast.Try(body=inner) if _yields_off(inner, on):
                return True
    return False
