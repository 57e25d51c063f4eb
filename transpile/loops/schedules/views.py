"""Expressions of a program resolved: which have one value, which memory a view is of, and its shape.

Memory is what a kernel asks for, by name. Any other name stands for what it was declared as.

>>> from ..expressions import Name, ask, run, shape
>>> from ..statements import Let
>>> views = Views([Let("x", ask("input", 0)), Let("r", ask("output", 0, shape("x"))), Let("s", shape("x"))])
>>> views.number(Name("s")) == views.number(shape("r")), views.memory(run("flip", "r"))
(True, frozenset({'r'}))
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields

from ..expressions import (
    Ask,
    Call,
    Expression,
    Member,
    Name,
    Number,
    ask,
    braces,
    call,
    names,
    parts,
    rank,
    run,
)
from ..lower.kernel import ShapeSet
from ..statements import Let, Statement

MEMORY = frozenset({"output", "readable_output", "scratch"})
_LAST = braces(-1)


class Views:
    """The declarations of a block, in order; inputs have one shape where `shapes` has one for both."""

    def __init__(self, statements: Iterable[Statement], shapes: Mapping[int, ShapeSet] | None = None) -> None:
        self._of_inputs = shapes or {}
        self._retained: set[int] = set()  # shapes of inputs that reductions over the last axis gave
        self._lets: dict[str, Expression] = {}
        self._memory: dict[str, frozenset[str]] = {}
        self._numbers: dict[object, int] = {}
        self._found: dict[Expression, int] = {}
        for statement in statements:
            if isinstance(statement, Let):
                is_memory = self._shape_asked(statement.value) is not None
                read = frozenset({statement.name}) if is_memory else self.memory(statement.value)
                self._memory[statement.name] = read
                self._lets[statement.name] = statement.value
                self.number(Name(statement.name))

    def number(self, expression: Expression) -> int:
        """A number that expressions of one value share."""
        if expression not in self._found:
            self._found[expression] = self._number(expression)
        return self._found[expression]

    def memory(self, expression: Expression) -> frozenset[str]:
        """The memory that an expression names."""
        return frozenset().union(*(self._memory.get(name, frozenset()) for name in names(expression)))

    def extent(self, view: Expression) -> int:
        """The number of the shape that a view has, where a reduced axis counts as one of length one."""
        brought_back = self._brought_back(view)
        return self.number(brought_back[1] if brought_back is not None else Member(view, "shape"))

    def is_reduced(self, view: Expression) -> bool:
        """True where a view has fewer entries than something else by what a reduction says, not by chance."""
        if self._brought_back(view) is not None or self.extent(view) in self._retained:
            return True
        whole = self._shape_of(view)
        while whole is not None:
            if isinstance(whole, Call):
                return whole.function == "reduced"
            if isinstance(whole, Name):
                whole = self._lets.get(whole.name)
            else:
                whole = self._shape_of(whole.owner) if isinstance(whole, Member) else None
        return False

    def rows(self, shape: Expression) -> int:
        """The number of the shape that a reduction over the last axis gives, which it keeps."""
        return self.number(call("reduced", shape, run("axis_set", _LAST, rank(shape)), True))

    def _number(self, expression: Expression) -> int:
        if isinstance(expression, Ask) and expression.method == "shape":
            return self._of_input(expression)
        if isinstance(expression, Name):
            value = self._lets.get(expression.name)
            if isinstance(value, Ask) and value.method in ("like", "shape"):
                return self._of_input(value)
            if value is not None and self._shape_asked(value) is None:
                return self.number(value)
        if isinstance(expression, Member) and expression.field == "shape":
            whole = self._shape_of(expression.owner)
            if whole is not None:
                return self.number(whole)
            value = self._lets.get(expression.owner.name) if isinstance(expression.owner, Name) else None
            if isinstance(value, Ask) and value.method == "input":
                return self._of_input(value)
        brought_back = self._brought_back(expression)
        if brought_back is not None:
            key: object = ("brought back", self.number(brought_back[0]))
            return self._numbers.setdefault(key, len(self._numbers))
        inside = {part: self.number(part) for part in parts(expression)}
        own = tuple(_hashed(getattr(expression, each.name), inside) for each in fields(expression))
        return self._numbers.setdefault((type(expression), own), len(self._numbers))

    def _of_input(self, asked: Ask) -> int:
        """The number of the shape of an input."""
        (position,) = asked.args
        assert isinstance(position, Number)
        match list(self._of_inputs.get(int(position.value), ())):
            case [("keep", whole, -1)]:
                for place, shape in self._of_inputs.items():
                    if shape == whole:
                        row = self.rows(ask("shape", place))
                        self._retained.add(row)
                        return row
        key = ("shape", self._of_inputs.get(int(position.value), position))
        return self._numbers.setdefault(key, len(self._numbers))

    def _brought_back(self, view: Expression) -> tuple[Expression, Call] | None:
        """A reduction's memory, viewed with the axes that it dropped, and the shape with these."""
        if not isinstance(view, Call) or view.function != "expand_dims":
            return None
        *_, inner, axes = view.args
        whole = self._shape_of(inner)
        if not isinstance(whole, Call) or whole.function != "reduced":
            return None
        source, dropped, _ = whole.args
        last = run("axis_set", _LAST, rank(source))
        if self.number(dropped) != self.number(last if axes == _LAST else axes):
            return None
        return inner, call("reduced", source, dropped, True)

    def _shape_of(self, view: Expression) -> Expression | None:
        """The shape that memory was asked for with; None for what is no memory."""
        return self._shape_asked(self._lets.get(view.name)) if isinstance(view, Name) else None

    @staticmethod
    def _shape_asked(value: Expression | None) -> Expression | None:
        return value.args[-1] if isinstance(value, Ask) and value.method in MEMORY else None


def _hashed(value: object, inside: dict[Expression, int]) -> object:
    """A field of an expression, with the numbers of the expressions in it."""
    if isinstance(value, tuple):
        return tuple(_hashed(each, inside) for each in value)
    return inside.get(value, value)  # type: ignore[call-overload]
