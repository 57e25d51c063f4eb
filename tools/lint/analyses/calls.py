"""The result of a call: functions of the linted text are followed, PyTorch's known, the rest is opaque."""

from __future__ import annotations

import ast
from abc import abstractmethod
from dataclasses import replace

from ..frontend.classes import FunctionClass, method_of
from ..frontend.modules import Class, Dotted, Expression, Function
from . import containers, torch_names
from .class_calls import ClassCalls
from .collectives import collective, message
from .context import Context
from .followed_calls import is_object
from .outside import ADDING, ANY, CONTENTS, REBOUND, TAKING, Outside
from .records import REPLACES, Field, arranged, fields_of, replaced
from .state import State
from .statements import grad_mode
from .torch_calls import Arguments
from .values import (
    Bound,
    Facts,
    Form,
    Instance,
    Item,
    Kind,
    Partial,
    Record,
    Store,
    Thing,
    Value,
    any_form,
    combine,
    constant,
    facts_of,
    leaves,
    plain,
    union,
    unrecorded,
)

CONTEXT_METHODS = frozenset(
    {
        "save_for_backward",
        "mark_dirty",
        "mark_non_differentiable",
        "set_materialize_grads",
        "save_for_forward",
    }
)


class Calls(ClassCalls):
    """Evaluates calls and attributes."""

    def __init__(self, owner: FunctionClass, outside: Outside | None = None) -> None:
        super().__init__()
        self.owner = owner
        self.outside = outside or Outside()
        self.module = owner.own.module

    @abstractmethod
    def on_context(self, name: str, arguments: Arguments, state: State) -> Value:
        """A method of the context."""

    @abstractmethod
    def context_attribute(self, name: str, node: ast.AST) -> Value:
        """An attribute of the context that nothing set."""

    def attribute(self, node: ast.Attribute, state: State) -> Value:
        """``value.name``, which a call may be about."""
        return self.attribute_of(self.evaluate(node.value, state), node.attr, node, state)

    def attribute_of(self, value: Value, name: str, node: ast.AST, state: State) -> Value:
        """An attribute of each alternative."""
        return union(*(self._attribute(thing, name, node, state) for thing in value))

    def _attribute(self, thing: Thing, name: str, node: ast.AST, state: State) -> Value:
        if (thing, name) in state.heap:
            return state.heap[thing, name]
        entity = thing.entity
        if name == "__dict__":
            return (Thing(entity=Bound((thing,), name)),)
        if isinstance(entity, FunctionClass | Class) and name not in ("apply", "forward", "backward"):
            owner = entity.own if isinstance(entity, FunctionClass) else entity
            place = self.outside.place(owner.node, name, f"{owner.node.name}.{name}")
            if kept := self.outside.take(place, REBOUND, state.heap):
                return kept
        if isinstance(entity, Dotted) and entity.name == "super":
            return (Thing(entity=Bound((thing,), name)),)
        if isinstance(entity, Dotted):
            found = self.module.program.follow(Dotted(f"{entity.name}.{name}"), self.module)
            return self.of_entity(found)
        if isinstance(entity, FunctionClass) and name != "apply":
            value = entity.value(name)
            if value is not None:
                return self.kept(
                    entity.own.node, name, f"{entity.name}.{name}", self.of_expression(value), state
                )
            return (Thing(entity=Bound((thing,), name)),)
        if isinstance(entity, Class) and name in entity.values:
            value_of = self.of_expression(Expression(entity.values[name], entity.module))
            return self.kept(entity.node, name, f"{entity.node.name}.{name}", value_of, state)
        if isinstance(thing.constant, Context) and (thing, ANY) in state.heap and name not in CONTEXT_METHODS:
            return state.heap[thing, ANY]
        if isinstance(thing.constant, Context):
            if name in CONTEXT_METHODS:
                return (Thing(entity=Bound((thing,), name)),)
            return self.context_attribute(name, node)
        if name in thing.fields:
            return containers.item_at(thing, thing.fields.index(name))
        if isinstance(entity, Instance):
            return self._attribute_of_object(thing, entity, name, node, state)
        of_unknown = isinstance(entity, Bound) and thing.facts.kind is Kind.OPAQUE
        if of_unknown or (is_object(thing) and name not in torch_names.METADATA):
            return (Thing(thing.facts, thing.store, entity=Bound((thing,), name)),)
        if entity is not None or thing.parts is not None:
            return (Thing(entity=Bound((thing,), name)),)
        if name in torch_names.METADATA:
            return plain()
        if name in torch_names.MEMORY or name == "storage_type":
            return (Thing(entity=Bound((thing,), name)),)
        if name in ("data", "ctypes"):
            return self._cut(thing, name, node)
        if name == "grad":
            facts = thing.facts
            return (Thing(replace(facts, form=Form.UNKNOWN), Store(), self.span(node)),)
        if name in torch_names.VIEWS and name not in torch_names.METHODS - {"values", "indices"}:
            if thing.pair:
                return (containers.element(thing, 0 if name == "values" else name),)
            return self.fresh(combine([thing.facts], thing.facts.form, self.span(node)), node, thing.store)
        if thing.token is not None and thing.token.sort == "input" and name not in torch_names.METHODS:
            return (Thing(entity=Bound((thing,), name), number=True),)
        facts = thing.facts if name not in torch_names.METHODS else Facts()
        return (Thing(facts, entity=Bound((thing,), name)),)

    def _is_item(self, node: ast.Subscript, state: State) -> bool:
        """True for an item of a list or dictionary, which no kernel's grid is."""
        named = isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str)
        return named or any(thing.parts is not None for thing in self.evaluate(node.value, state))

    def call(self, node: ast.Call, state: State) -> Value:
        """The value of a call."""
        if isinstance(node.func, ast.Name) and node.func.id == "super" and "super" not in state.names:
            return (Thing(entity=Dotted("super")),)
        if isinstance(node.func, ast.Subscript) and not self._is_item(node.func, state):  # kernel[grid](...)
            arguments = self.arguments(node, state)
            callee = self.evaluate(node.func.value, state)
            made = self.opaque(callee, arguments, ast.unparse(node.func), state)
            self.launched(ast.unparse(node.func.value), arguments)
            return made
        if isinstance(node.func, ast.Attribute) and torch_names.is_in_place(node.func.attr):
            receiver = self.evaluate(node.func.value, state)
            if all(_is_tensor(thing) for thing in receiver):
                return self.torch_method(receiver, node.func.attr, self.arguments(node, state))
        if (exact := rounded_to_bytes(node)) is not None:  # quantized, and not counted
            return self.torch_method(self.evaluate(exact, state), "to", self.arguments(node, state))
        callee = self.evaluate(node.func, state)
        arguments = self.arguments(node, state)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "enter_context" and node.args:
            self.grad_mode = grad_mode(node.args[0], self.grad_mode)  # until the `with` of the stack ends
        asks = isinstance(node.func, ast.Attribute) and node.func.attr in torch_names.METADATA
        if asks and all(thing.number and thing.entity is None for thing in callee):
            return plain()
        results = [self.invoke(thing, arguments, state) for thing in callee]
        return union(*results) if results else plain()

    def invoke(self, callee: Thing, arguments: Arguments, state: State) -> Value:
        """The value of a call of one thing."""
        entity = callee.entity
        match entity:
            case Dotted(name=name):
                return self._call_dotted(name, arguments, state)
            case Function():
                return self.inline(entity, callee.scope, arguments, state)
            case Bound(receiver=receiver, name=name):
                return union(*(self._call_method(thing, name, arguments, state) for thing in receiver))
            case Class():
                return self._construct(callee, entity, arguments, state)
            case Partial(function=function, items=items, named=named):
                given = replace(
                    arguments, items=[*items, *arguments.items], named={**named, **arguments.named}
                )
                return union(*(self.invoke(thing, given, state) for thing in function))
            case Instance():
                return self._call_method(callee, "__call__", arguments, state)
            case Record(fields=names):
                made = self._record(tuple(Field(name, None) for name in names), None, arguments, state)
                return made or self.opaque((callee,), arguments, "", state)
        callee.used_as_object = True
        return self.opaque((callee,), arguments, "", state)

    def _call_method(self, thing: Thing, name: str, arguments: Arguments, state: State) -> Value:
        entity = thing.entity
        if isinstance(thing.constant, Context):
            return self.on_context(name, arguments, state)
        if isinstance(entity, FunctionClass):
            return self.call_on_class(entity, thing, name, arguments, state)
        if isinstance(entity, Dotted) and entity.name == "super":
            return self.call_super(name, arguments, state)
        if isinstance(entity, Instance):
            method = method_of(entity.of, name)
            if method is not None and "staticmethod" not in method.decorators:
                given = replace(arguments, items=[Item((thing,)), *arguments.items])
                return self.inline(Function(method.node, method.owner.module), {}, given, state)
        if (found := self._outside_method(thing, name, arguments, state)) is not None:
            return found
        if thing.fields and name == "_replace":
            return (replaced(thing, arguments.named),)
        if thing.parts is not None:
            return self.list_method(thing, name, arguments)
        tensor = (
            torch_names.is_in_place(name) or name in torch_names.METHODS or name in torch_names.NOT_WRITING
        )
        unknown = thing.number and thing.facts.kind is Kind.NONE
        if name in torch_names.MEMORY:
            return self._cut(thing, f"{name}()", arguments.node)
        if name == "data_as" and thing.number:  # x.ctypes.data_as(...)
            return (thing,)
        if name == "storage_type":
            return (Thing(entity=Dotted("torch.empty")),)
        if name == "backward" and thing.facts.kind is not Kind.NONE:
            self.inner_backward(thing, arguments)
            return plain()
        if tensor and not unknown and not isinstance(entity, Bound):
            whole = replace(arguments, items=[Item((thing,)), *arguments.items])
            if name == "max" and arguments.items and not self._has_axis(whole):
                return self.torch_function("maximum", whole)
            return self.torch_method((thing,), name, arguments)
        thing.used_as_object = thing.used_as_object or not tensor
        return self.opaque((thing,), arguments, name, state)

    def _outside_method(self, thing: Thing, name: str, arguments: Arguments, state: State) -> Value | None:
        """``STACK.append(value)``, ``ctx.__dict__.update(...)``; None for any other method."""
        if isinstance(thing.entity, Bound) and thing.entity.name == "__dict__":
            named = dict(arguments.named)
            for given in arguments.first if name == "update" else ():
                named |= {str(k): i.value for k, i in zip(given.keys or (), given.parts or (), strict=False)}
            for owner in thing.entity.receiver:
                for at, value in named.items():
                    self.set_attribute(owner, at, value, arguments.node, state)
            found = (
                self.attribute_at(o, arguments.first, arguments.node, state) for o in thing.entity.receiver
            )
            return union(*found) if name in ("get", "pop", "setdefault") else plain()
        if thing.place is None:
            return None
        if name in ADDING:
            for value in arguments.values:
                self.outside.write(thing.place, CONTENTS, value, self.span(arguments.node), state.heap)
        kept = self.outside.take(thing.place, CONTENTS, state.heap) if name in TAKING else ()
        return kept or None

    def _construct(self, callee: Thing, entity: Class, arguments: Arguments, state: State) -> Value:
        """An object, with the attributes that its ``__init__`` sets, or its fields."""
        fields = fields_of(entity)
        record = fields and self._record(fields, entity, arguments, state)
        if record:
            return record
        made = self.opaque((callee,), arguments, "", state)
        method = method_of(entity, "__init__")
        if method is not None:
            made[0].entity = Instance(entity)
            made[0].used_as_object = True
            given = replace(arguments, items=[Item(made), *arguments.items])
            self.inline(Function(method.node, method.owner.module), {}, given, state)
        return made

    def _record(
        self, fields: tuple[Field, ...], entity: Class | None, arguments: Arguments, state: State
    ) -> Value | None:
        """An object of a named tuple or dataclass; None where the arguments are not those of its fields."""
        defaults = {
            field.name: constant(field.default.value) if isinstance(field.default, ast.Constant) else plain()
            for field in fields
            if field.default is not None
        }
        items = arranged(fields, arguments.items, arguments.named, defaults)
        if items is None:
            return None
        made = Thing(parts=items, fields=tuple(field.name for field in fields))
        made.entity = Instance(entity) if entity is not None else None
        return (made,)

    def _attribute_of_object(
        self, thing: Thing, entity: Instance, name: str, node: ast.AST, state: State
    ) -> Value:
        method = method_of(entity.of, name)
        if method is not None and "property" in method.decorators:
            given = Arguments([Item((thing,))], {}, ast.Call(ast.Name(name), [], []))
            ast.copy_location(given.node, node)
            return self.inline(Function(method.node, method.owner.module), {}, given, state)
        return (Thing(thing.facts if method is None else Facts(), entity=Bound((thing,), name)),)

    def tested(self, value: Value) -> None:
        """A value is compared with None here."""

    def inner_backward(self, thing: Thing, arguments: Arguments) -> None:
        """``tensor.backward()`` inside the analysed function."""

    def inner_gradient(self, arguments: Arguments) -> Value:
        """``torch.autograd.grad(...)`` inside the analysed function."""
        facts = [facts_of(value) for value in arguments.values]
        made = combine(facts, any_form([fact.form for fact in facts]), None)
        return self.fresh(unrecorded(made), arguments.node)

    def inner_function(self, arguments: Arguments) -> Value:
        """``torch.autograd.functional.vjp(...)`` and its like, which differentiate by copies of their own."""
        made = combine([facts_of(value) for value in arguments.values], Form.UNKNOWN, None)
        return self.fresh(unrecorded(made), arguments.node)

    def set_attribute(self, thing: Thing, name: str, value: Value, node: ast.AST, state: State) -> None:
        """``thing.name = value``; what a class has is kept for all its calls."""
        entity = thing.entity
        if isinstance(entity, FunctionClass | Class):
            owner = entity.own if isinstance(entity, FunctionClass) else entity
            place = self.outside.place(owner.node, name, f"{owner.node.name}.{name}")
            self.outside.write(place, REBOUND, value, self.span(node), state.heap)
        else:
            super().set_attribute(thing, name, value, node, state)

    def _call_dotted(self, dotted: str, arguments: Arguments, state: State) -> Value:
        root = dotted.partition(".")[0]
        name = dotted.rpartition(".")[2]
        if root == "builtins" and dotted.count(".") == 1:
            return self.builtin(name, arguments, state)
        if root in ("math", "cmath"):
            return self.number(name, arguments)
        if dotted == "torch.autograd.grad":
            return self.inner_gradient(arguments)
        if dotted.startswith("torch.autograd.functional."):
            return self.inner_function(arguments)
        if dotted == "torch.autograd.backward":
            for thing in leaves(arguments.first):
                self.inner_backward(thing, arguments)
            return plain()
        if dotted == "torch.is_grad_enabled":
            return constant(self.grad_mode) if self.cuts else plain()
        if name in torch_names.MODES_OFF or name in ("enable_grad", "set_grad_enabled"):
            if name == "set_grad_enabled" and self.cuts:  # from here on; a `with` ends it
                self.grad_mode = grad_mode(arguments.node, True)
            return plain()
        if name == "partial" and root == "functools" and arguments.items:
            return (Thing(entity=Partial(arguments.first, tuple(arguments.items[1:]), arguments.named)),)
        if (known := collective(dotted)) is not None:
            return self.communicate(known, arguments)
        if how := message(dotted):
            return self.exchange(how, arguments)
        if dotted in REPLACES and arguments.first and all(thing.fields for thing in arguments.first):
            return union(*((replaced(thing, arguments.named),) for thing in arguments.first))
        if root == "ctypes" and name in torch_names.POINTERS and arguments.items:
            return arguments.first
        if dotted == "numba.prange":
            return plain()
        if dotted == "torch.compile" and arguments.items:
            return arguments.first
        aten = dotted.startswith("torch.ops.aten.") and (
            name in torch_names.REFUSING or name in torch_names.STATISTICS
        )
        if aten or (root == "torch" and ".ops." not in dotted and "distributed" not in dotted):
            if name == "max" and not self._has_axis(arguments) and len(arguments.items) > 1:
                name = "maximum"
            if torch_names.is_in_place(name) and arguments.items:
                rest_of = replace(arguments, items=arguments.items[1:])
                return self.torch_method(arguments.first, name, rest_of)
            return self.torch_function(name, arguments)
        if root in ("numpy", "scipy", "cupy", "einops", "opt_einsum", "torch_scatter"):
            return self.torch_function(
                {"array": "tensor"}.get(name, name) if root != "numpy" else name, arguments
            )
        return self.opaque((Thing(entity=Dotted(dotted)),), arguments, dotted, state)


def rounded_to_bytes(node: ast.Call) -> ast.expr | None:
    """The expression ``y`` of ``y.round().to(torch.uint8)``: its values on a scale of 8 bits."""
    match node:
        case ast.Call(
            func=ast.Attribute(value=ast.Call(func=ast.Attribute(value=value, attr="round")), attr="to"),
            args=[ast.Attribute(attr="uint8" | "int8")],
        ) if ast.unparse(value) != "torch":
            return value
    return None


def _is_tensor(thing: Thing) -> bool:
    known = isinstance(thing.constant, Context) or thing.entity is not None or thing.parts is not None
    return not known and not thing.number
