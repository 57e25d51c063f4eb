"""Statements and expressions of a program, evaluated."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..expressions import (
    Ask,
    Braces,
    Call,
    Choice,
    Constant,
    Convert,
    Element,
    Entry,
    Expression,
    Infix,
    ListOf,
    Member,
    Method,
    Name,
    New,
    Number,
    Prefix,
    SizeOf,
    Text,
)
from ..statements import (
    Alike,
    Assign,
    Collect,
    Do,
    FlatCall,
    For,
    Guard,
    If,
    InSpace,
    KernelProgram,
    Launch,
    Let,
    NewList,
    Reduce,
    Require,
    Return,
    Scope,
    Space,
    Statement,
    Store,
    Variable,
    Write,
)
from .functions import function, narrowed, reduced_to
from .numbers import Refused
from .packed import row_of, value_of

_INFIX = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "==": np.equal,
    "!=": np.not_equal,
    "&": np.logical_and,
    "|": np.logical_or,
    "&&": np.logical_and,
    "||": np.logical_or,
}
_WAYS: dict[str, tuple[Callable[..., Any], dict[str, float]]] = {
    "sum": (np.sum, {}),
    "prod": (np.prod, {}),
    "max": (np.max, {"initial": -np.inf}),
    "min": (np.min, {"initial": np.inf}),
}
_TYPES = {"double": np.float64, "float": np.float32, "int64_t": np.int64, "bool": np.bool_}


class _Returned(Exception):
    """The end of the kernel."""


@dataclass
class Arguments:
    """The call of a kernel: its arrays, its numbers, its float type. `outputs` are filled in, by number."""

    arrays: Sequence[Any]
    numbers: Sequence[Any] = ()
    float_type: Any = np.float64
    outputs: dict[int, Any] = field(default_factory=dict)


Value = Callable[[Expression], Any]


def run(
    program: KernelProgram, arguments: Arguments, launch: Callable[[Launch, Value], None] | None = None
) -> dict[int, Any]:
    """The outputs of a kernel, by their numbers. Raises Refused and NotInterpreted.

    Launches are run as their passes are, or by `launch`, which is given the value of each expression.
    """
    with np.errstate(all="ignore"):
        _Run(program, arguments, launch).all()
    return arguments.outputs


class _Run:
    """A program under way."""

    def __init__(
        self, program: KernelProgram, arguments: Arguments, launch: Callable[[Launch, Value], None] | None
    ) -> None:
        self.program, self.arguments, self.launch = program, arguments, launch
        self.types = _TYPES | {"T": arguments.float_type}

    def all(self) -> None:
        """Every statement, up to the end."""
        with suppress(_Returned):
            self.block(self.program.body, {"context": None})

    def block(self, statements: Sequence[Statement], names: dict[str, Any]) -> None:
        """Statements in order, with these names."""
        for statement in statements:
            self.statement(statement, names)

    def statement(self, statement: Statement, names: dict[str, Any]) -> None:
        """One statement."""
        if isinstance(statement, Assign):
            self.assign(statement, names)
            return
        match statement:
            case Let() | Variable():
                value = None if statement.value is None else self.value(statement.value, names)
                names[statement.name] = [] if isinstance(statement.type, ListOf) and value is None else value
            case NewList():
                names[statement.name] = [None] * int(self.value(statement.count, names))
            case Require():
                if not self.value(statement.condition, names):
                    raise Refused(statement.why)
            case Do():
                self.value(statement.call, names)
            case Return():
                if statement.way:
                    self.block(self.program.likely or (), {"context": None})
                raise _Returned
            case Guard():
                if self.value(statement.condition, names):
                    self.statement(statement.then, names)
            case If():
                holds = all(self.value(condition, names) for condition in statement.conditions)
                self.block(statement.then if holds else statement.otherwise or (), names)
            case For():
                self.loop(statement, names)
            case Alike():
                if len({self.value(shape, names) for shape in statement.shapes}) == 1:
                    self.block(statement.body, names)
            case Launch() if self.launch is not None:
                self.launch(statement, lambda expression: self.value(expression, names))
            case Scope() | Launch():
                self.block(statement.body, names)
            case Space():
                self.space(statement, names)

    def assign(self, statement: Assign, names: dict[str, Any]) -> None:
        """Another value for a variable, or for an element of a list."""
        target, value = statement.target, self.value(statement.value, names)
        if isinstance(target, Element):
            self.value(target.owner, names)[int(self.value(target.index, names))] = value
        else:
            assert isinstance(target, Name)
            names[target.name] = value

    def loop(self, statement: For, names: dict[str, Any]) -> None:
        """A loop, in which names are assigned anew."""
        numbers = range(int(self.value(statement.count, names)))
        for number in reversed(numbers) if statement.reverse else numbers:
            if statement.condition is not None and not self.value(statement.condition, names):
                break
            names[statement.name] = number
            self.block(statement.body, names)

    def space(self, space: Space, names: dict[str, Any]) -> None:
        """One pass, for all its elements at once."""
        shapes = [self.value(shape, names) for shape in (space.shape, *space.covers)]
        whole = np.broadcast_shapes(*shapes)
        views = {read.name: self.value(read.view, names) for read in space.reads}
        if any(view.ndim > len(whole) for view in views.values()):
            raise Refused("more axes than there are places")
        rows = {name: np.broadcast_to(view, whole) for name, view in views.items()}
        sinks = {sink.name: sink for sink in space.sinks}
        for sink in space.sinks:
            if isinstance(sink, Reduce) and sink.source is not None:
                self.give(sink, rows[sink.source], names)
        body: Sequence[InSpace] | FlatCall = space.body
        if isinstance(body, FlatCall):
            assert self.program.flat is not None
            body = self.program.flat.body
        inside = {**names, **{f"{name} row": row for name, row in rows.items()}}
        for statement in body:
            value = self.value(statement.value, inside)
            if isinstance(statement, Let):
                inside[statement.name] = value
            else:
                sink = sinks[statement.row] if isinstance(statement, Store) else _sink(statement)
                self.give(sink, np.broadcast_to(value, whole), names)

    def give(self, sink: Write | Reduce, value: Any, names: Mapping[str, Any]) -> None:
        """Write or reduce a value to its target."""
        target = self.value(sink.view, names)
        if isinstance(sink, Write):
            target[...] = narrowed(value, target.shape)
            return
        how, options = _WAYS[sink.op]
        total = reduced_to(value, target.shape, how, **options)
        target[...] = total / (value.size // max(total.size, 1)) if sink.mean else total

    def value(self, expression: Expression, names: Mapping[str, Any]) -> Any:
        """The value of an expression."""
        match expression:
            case Name():
                return names[expression.name]
            case Entry():
                return names[f"{expression.row} row"]
            case Number():
                whole = expression.type in ("int64_t", "bool", "unsigned")
                return expression.value if whole else self.types[expression.type](expression.value)
            case Text():
                return expression.value
            case Constant():
                return {"kNone": None, "Index::kNewAxis": "new axis"}.get(expression.name, expression.name)
            case SizeOf():
                return np.dtype(self.types[expression.type]).itemsize
            case Infix():
                return self.infix(expression, names)
            case Prefix():
                value = self.value(expression.operand, names)
                return np.logical_not(value) if expression.operator == "!" else np.negative(value)
            case Choice():
                return self.choice(expression, names)
            case Convert():
                return np.asarray(self.value(expression.value, names)).astype(self.types[expression.type])[()]
            case Member():
                return _member(self.value(expression.owner, names), expression.field)
            case Method():
                owner = self.value(expression.owner, names)
                return _method(owner, expression.method, [self.value(arg, names) for arg in expression.args])
            case Element():
                return self.value(expression.owner, names)[int(self.value(expression.index, names))]
            case Braces() | New():
                items = expression.items if isinstance(expression, Braces) else expression.args
                return self.made(expression.type, [self.value(item, names) for item in items])
            case Ask():
                return self.asked(expression, [self.value(arg, names) for arg in expression.args])
            case Call():
                return self.called(expression, [self.value(arg, names) for arg in expression.args])

    def called(self, expression: Call, args: list[Any]) -> Any:
        """The value of a function of the runtime; of one that packs, by its type."""
        kind = expression.of
        if expression.function == "unpack" and kind is not None:
            return value_of(args[1], kind)
        if expression.function == "pack":
            args[2][...] = row_of(args[1], np.dtype(self.types[str(kind)]).num)
            return None
        if expression.function == "absent":
            missing = self.arguments.outputs[args[1]] = np.zeros((), self.types[str(kind)])
            return missing
        try:
            return function(expression.function)(*args)
        except np.exceptions.AxisError as error:
            raise Refused(str(error)) from error

    def infix(self, expression: Infix, names: Mapping[str, Any]) -> Any:
        """An operator on two operands."""
        left, right = self.value(expression.left, names), self.value(expression.right, names)
        if expression.operator == "<<":
            return left << right
        if any(side is None or isinstance(side, tuple | str) for side in (left, right)):
            return (left == right) == (expression.operator == "==")
        if all(isinstance(side, int) and not isinstance(side, bool) for side in (left, right)):
            found = _INFIX[expression.operator](left, right)
            return found.item()
        return _INFIX[expression.operator](left, right)

    def choice(self, expression: Choice, names: Mapping[str, Any]) -> Any:
        """One of two; of elements, one for each."""
        condition = self.value(expression.condition, names)
        if np.ndim(condition):
            sides = (self.value(side, names) for side in (expression.then, expression.otherwise))
            return np.where(condition, *sides)
        return self.value(expression.then if condition else expression.otherwise, names)

    def made(self, kind: Any, items: list[Any]) -> Any:
        """A value of a type."""
        if isinstance(kind, ListOf):
            return list(items)
        if kind is None or kind == "Shape":
            return tuple(items)
        return int(items[0]) if kind == "int64_t" else self.types[kind](items[0])

    def asked(self, expression: Ask, args: list[Any]) -> Any:
        """A value that the call gives."""
        call, method = self.arguments, expression.method
        if method in ("input", "gradient"):
            return np.asarray(call.arrays[args[0]])
        if method in ("like", "shape", "shape_if_any"):
            return np.shape(call.arrays[args[0]])
        if method in ("number", "integer"):
            return call.numbers[args[0]]
        if method in ("dry", "is_only_likely", "adds"):
            return False
        if method == "output_value":
            call.outputs[args[0]] = args[1]
            return None
        kind = np.dtype(self.types[str(expression.of)])
        made = np.full(args[-1], np.nan if kind.kind == "f" else 0, kind)
        if method in ("output", "readable_output"):
            call.outputs[args[0]] = made
        return made


def _sink(statement: Collect) -> Reduce:
    return statement.sink


def _member(owner: Any, name: str) -> Any:
    if name == "kind":
        return "new axis" if owner is None else "other"
    if name in ("ndim", "size"):
        return len(owner)
    return owner if name == "data" else owner.shape


def _method(owner: Any, name: str, args: list[Any]) -> Any:
    if name == "size":
        return int(np.prod(owner))
    if name == "at":
        return owner[int(args[1])]
    if name == "truncate":
        del owner[int(args[0]) :]
    return owner
