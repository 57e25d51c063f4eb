"""Runs a class's forward, and its ``setup_context``: what is saved, what returned, what written."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cached_property

from ....transpile.ir import Span
from ..frontend.classes import FunctionClass, Method
from .calls import Calls
from .context import NEEDED, SAVED, Context, Label
from .outside import REBOUND, Outside
from .state import Heap, State
from .statements import Frame, Write
from .torch_calls import Arguments
from .torch_names import TENSOR_EVIDENCE
from .values import (
    Facts,
    Form,
    Item,
    Kind,
    Store,
    Thing,
    Token,
    Value,
    constant,
    leaves,
    plain,
    union,
    unrecorded,
)

_PLAIN_TYPES = frozenset(
    {
        "int",
        "float",
        "bool",
        "str",
        "None",
        "Optional",
        "Union",
        "Callable",
        "tuple",
        "list",
        "Tuple",
        "List",
        "dict",
    }
    | {"Dict", "Sequence", "typing", "Size", "torch", "dtype", "device"}
)

_TENSOR_WORDS = ("Tensor", "Parameter", "Variable", "Array", "Any")


@dataclass(frozen=True)
class Parameter:
    """A parameter of the forward, the context left out."""

    name: str
    index: int
    required: bool
    variadic: bool
    span: Span
    tensor: bool  # something in the text says that it is a tensor
    plain: bool  # its annotation says that it is none

    @property
    def token(self) -> Token:
        """The dependence on it."""
        return Token("input", self.name, self.index)


@dataclass(frozen=True)
class End:
    """A way for the forward to end: what it returns, and what is saved then."""

    value: Value
    span: Span
    heap: Heap

    @cached_property
    def outputs(self) -> dict[Thing, frozenset[Thing]]:
        """The very things that are returned, each with those that may be returned in its place."""
        found: dict[Thing, frozenset[Thing]] = {}
        _outputs(self.value, found)
        return found

    @cached_property
    def all_returned(self) -> frozenset[Thing]:
        """The things of lists of unknown length that are returned whole."""
        parts = [item for thing in leaves(self.value) for item in thing.parts or ()]
        return frozenset(thing for item in parts if item.starred for thing in item.value)


@dataclass(frozen=True)
class ForwardFacts:
    """The effects of a forward. `saver`: the method that saves."""

    method: Method
    saver: Method
    parameters: tuple[Parameter, ...]
    ends: tuple[End, ...]
    context: Context
    thing: Thing
    writes: tuple[Write, ...]
    outside: Outside

    @property
    def differentiable(self) -> bool:
        """True unless all that is returned is marked as not differentiable, or holds integers or booleans."""
        returned = [
            thing for end in self.ends for thing in leaves(end.value, inside=False) if not thing.parts
        ]
        return not returned or any(not t.whole and t not in self.context.marked for t in returned)


class Forward(Calls):
    """Follows a forward, which PyTorch runs with grad mode off."""

    grad_mode = False

    def __init__(self, owner: FunctionClass) -> None:
        super().__init__(owner)
        self.context = Context()
        self.thing = Thing(constant=self.context)

    def facts(self) -> ForwardFacts | None:
        """Run it; None where the class has no forward."""
        method, setup = self.owner.method("forward"), self.owner.method("setup_context")
        if method is None:
            return None
        arguments = method.parameters if setup is not None else method.parameters[1:]
        names = method.parameters
        parameters = _parameters(method, arguments, setup)
        state = State()
        if setup is None and names:
            state.names[names[0].arg] = (self.thing,)
        inputs: list[Item] = []
        for parameter in parameters:
            value = self._input(parameter, method)
            state.names[parameter.name] = (Thing(parts=[Item(value, True)]),) if parameter.variadic else value
            inputs.append(Item(value, parameter.variadic))
        self._begin(method, state)
        end = self.run(method.node.body, state)
        ends = [End(found.value, found.span, found.heap) for found in self.frame.returns]
        if end is not None:
            ends.append(End(constant(None), self.span(method.node), end.heap))
        ends = [end for end in ends if any(t.constant is not None for t in end.value)] or ends  # a loop's end
        if setup is not None:
            ends = [self._set_up(setup, found, inputs) for found in ends]
        self.context.names.update(_names_in_tuples((setup or method).node))
        return ForwardFacts(
            method,
            setup or method,
            tuple(parameters),
            tuple(ends),
            self.context,
            self.thing,
            tuple(self.writes),
            self.outside,
        )

    def _begin(self, method: Method, state: State) -> None:
        self.module = method.owner.module
        self.running = [method.node]
        if "classmethod" in method.decorators:
            arguments = method.node.args
            first = [*arguments.posonlyargs, *arguments.args][0]
            state.names[first.arg] = (Thing(entity=self.owner),)

    def _set_up(self, setup: Method, end: End, inputs: list[Item]) -> End:
        given = setup.parameters
        state = State(heap=dict(end.heap))
        values: list[Value] = [(self.thing,), (Thing(parts=list(inputs)),), end.value]
        if len(given) == 4:  # an operator's keyword-only inputs stand before its output
            values.insert(2, plain())
        for argument, value in zip(given, values, strict=False):
            state.names[argument.arg] = value
        for keyword in setup.node.args.kwonlyargs:
            state.names[keyword.arg] = values[1] if keyword.arg == "inputs" else values[-1]
        self.frame = Frame()
        self._begin(setup, state)
        after = self.run(setup.node.body, state)
        heaps = [found.heap for found in self.frame.returns] + ([after.heap] if after else [])
        return End(end.value, end.span, heaps[0] if heaps else end.heap)

    def _input(self, parameter: Parameter, method: Method) -> Value:
        token = parameter.token
        if parameter.plain:
            return (Thing(span=parameter.span, name=parameter.name, rank=-1, token=token, number=True),)
        facts = Facts(Kind.DIFFERENTIABLE, Form.CONSTANT, {token: None}, recorded=True)
        made = Thing(facts, Store(owner=token), parameter.span, parameter.name, rank=-1, token=token)
        for decorator in method.node.decorator_list:
            if isinstance(decorator, ast.Call) and "cast_inputs" in {k.arg for k in decorator.keywords}:
                cast = Thing(unrecorded(facts), Store(), self.span(decorator), parameter.name, rank=-1)
                return union((made,), (cast,))
        return (made,)

    def on_context(self, name: str, arguments: Arguments, state: State) -> Value:
        """A method of the context."""
        context, span = self.context, self.span(arguments.node)
        if name == "save_for_backward":
            labels = [
                _label(source, item, self.span(source))
                for source, item in zip(arguments.sources, arguments.items, strict=True)
            ]
            again = {label.text for label in labels}
            for thing in state.heap.get((self.thing, SAVED), ()):
                first = context.saves.get(thing)
                lost = {label.text for label in context.labels.get(thing, ())} - again
                if first is not None and first != span and lost:
                    context.twice.append((span, first))
            saved = Thing(parts=list(arguments.items), span=span)
            context.labels[saved] = labels
            context.saves[saved] = span
            state.heap[self.thing, SAVED] = (saved,)
        elif name == "mark_non_differentiable":
            context.marked.update(thing for value in arguments.values for thing in leaves(value))
        elif name == "mark_dirty":
            owners = (t.store.owner for value in arguments.values for t in leaves(value))
            context.dirty.update(owner for owner in owners if owner is not None)
        elif name == "set_materialize_grads" and self.truth(arguments.first) is False:
            context.unmaterialized = span
        return plain()

    def context_attribute(self, name: str, node: ast.AST) -> Value:
        """An attribute of the context that nothing set."""
        if name == "needs_input_grad":
            self.context.asks_needs = True
            return (Thing(constant=NEEDED, number=True),)
        return plain()

    def set_attribute(self, thing: Thing, name: str, value: Value, node: ast.AST, state: State) -> None:
        """``ctx.name = value``, or an attribute of something else."""
        super().set_attribute(thing, name, value, node, state)
        if thing is self.thing:
            for found in value:
                self.context.set_at[name, found] = self.span(node)
        elif thing.token is not None and name not in TENSOR_EVIDENCE and not self._is_tested(name):
            place = self.outside.place(thing.token, name, f"{thing.token.name}.{name}")
            self.outside.objects.add(place)
            self.outside.write(place, REBOUND, value, self.span(node), state.heap)

    def _is_tested(self, name: str) -> bool:
        """True if the running function asks for an attribute of this name first, as for what it sets once."""
        tests = [node.test for node in ast.walk(self.running[-1]) if isinstance(node, ast.If | ast.IfExp)]
        asked = (node for test in tests for node in ast.walk(test) if isinstance(node, ast.Attribute))
        return any(node.attr == name for node in asked)


def _outputs(value: Value, found: dict[Thing, frozenset[Thing]]) -> None:
    place = frozenset(thing for thing in value if thing.parts is None)
    for thing in value:
        known = thing in found
        found[thing] = place
        for item in (thing.parts or ()) if not known else ():
            _outputs(item.value, found)
        for inner in thing.elements.values():
            found[inner] = frozenset({inner})


def _names_in_tuples(function: ast.FunctionDef) -> dict[str, tuple[str, ...]]:
    """``a, b`` of ``ctx.kept = a, b``; what is set in several ways is left out."""
    found: dict[str, set[tuple[str, ...]]] = {}
    for node in ast.walk(function):
        match node:
            case ast.Assign(
                targets=[ast.Attribute(attr=name)], value=ast.Tuple(elts=items) | ast.List(elts=items)
            ):
                names = tuple(item.id if isinstance(item, ast.Name) else "" for item in items)
                found.setdefault(name, set()).add(names)
    return {name: ways.pop() for name, ways in found.items() if len(ways) == 1}


def _label(source: ast.expr, item: Item, span: Span) -> Label:
    named = next((thing.name for thing in item.value if thing.name), "")
    if isinstance(source, ast.Starred):
        text = named or ast.unparse(source.value)
        return Label(text.removesuffix("_list") if not named else text, span)
    return Label(source.id if isinstance(source, ast.Name) else ast.unparse(source), span)


def _parameters(method: Method, arguments: list[ast.arg], setup: Method | None) -> list[Parameter]:
    module = method.owner.module
    evidence = _evidence(method) | (_evidence(setup) if setup is not None else set())
    defaults = len(method.node.args.defaults)
    found = []
    for index, argument in enumerate(arguments):
        required = index < len(arguments) - defaults
        text = ast.unparse(argument.annotation) if argument.annotation is not None else ""
        tensor = "Tensor" in text or (argument.arg in evidence and not is_class(argument.annotation))
        none = bool(text) and not tensor and _is_plain(argument.annotation)
        found.append(Parameter(argument.arg, index, required, False, module.span(argument), tensor, none))
    variadic = method.node.args.vararg
    if variadic is not None:
        found.append(Parameter(variadic.arg, len(found), False, True, module.span(variadic), False, False))
    return found


def is_class(annotation: ast.expr | None) -> bool:
    """True for an annotation by a class of one's own, as ``QuantState | None``, which is no tensor."""
    if annotation is None or _is_plain(annotation):
        return False
    named = {
        node.id if isinstance(node, ast.Name) else node.attr
        for node in ast.walk(annotation)
        if isinstance(node, ast.Name | ast.Attribute)
    }
    classes = {name for name in named - _PLAIN_TYPES if name[:1].isupper() and not name.isupper()}
    return bool(classes) and not any(word in name for name in classes for word in _TENSOR_WORDS)


def _is_plain(annotation: ast.expr | None) -> bool:
    names = {node.id for node in ast.walk(annotation) if isinstance(node, ast.Name)} if annotation else set()
    names |= (
        {node.attr for node in ast.walk(annotation) if isinstance(node, ast.Attribute)}
        if annotation
        else set()
    )
    return names <= _PLAIN_TYPES and "torch" not in names - {"torch"}


def _evidence(method: Method) -> set[str]:
    """Names that are used as only tensors are: saved, or asked for what only tensors have."""
    found: set[str] = set()
    for node in ast.walk(method.node):
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=attribute) if attribute in TENSOR_EVIDENCE:
                found.add(name)
            case ast.Call(func=ast.Attribute(attr="save_for_backward" | "mark_dirty"), args=args):
                found.update(argument.id for argument in args if isinstance(argument, ast.Name))
    return found
