"""Equations as C++ expressions over `pullback::Tensor`. What is read once nests where it is read.

Tensors, shapes and truths are C++ values of their own; an attribute of the
operator is an `Attribute`, of which a place that wants a number or a truth asks for it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping

from ...ir import Atom, Block, Eqn, Literal, Var
from ...operators import OPERATORS
from ...rewrite import uses
from ..native.names import Names

# How tightly C++ binds an operator; a call or a name binds tightest.
_TIGHT = 10
_INFIX = {
    "add": ("+", 5),
    "subtract": ("-", 5),
    "multiply": ("*", 6),
    "divide": ("/", 6),
    "accumulate": ("+", 5),
}
_OF_NUMBERS = {
    **_INFIX,
    "floor_divide": ("/", 6),
    "equal": ("==", 3),
    "not_equal": ("!=", 3),
    "less": ("<", 4),
    "greater": (">", 4),
}
_QUESTION = 1


class Unwritten(Exception):
    """Something in a formula has no form in this C++: its message says what."""


Text = tuple[str, int]


class Expressions:
    """Turns equations into expressions, holding back temporaries until they are read."""

    def __init__(
        self, names: Names, block: Block, attributes: Collection[Var], sources: Mapping[Var, str]
    ) -> None:
        self._names = names
        self._counts = uses(block)
        self._results = set(block.results)
        self._attributes = attributes
        self._sources = sources
        self._pending: dict[Var, Text] = {}
        self._slices: set[Atom] = {Literal(None), Literal(Ellipsis)}

    def source(self, var: Var) -> str | None:
        """How the metadata of an input or output is reached ("saved.like(0)"), where its values are not."""
        return self._sources.get(var)

    def of(self, atom: Atom, tight: int = 0) -> str:
        """The operand as C++, in parentheses where it binds less than `tight`."""
        if isinstance(atom, Literal):
            text = _literal(atom)
            return f"({text})" if text.startswith("-") and tight > 5 else text
        waiting = atom in self._pending
        text, binds = self._pending.pop(atom) if waiting else (self._names.of(atom), _TIGHT)
        return f"({text})" if binds < tight else text

    def truth(self, atom: Atom, tight: int = 0) -> str:
        """A condition."""
        text = self.of(atom, _TIGHT if atom in self._attributes else tight)
        return f"{text}.truth()" if atom in self._attributes else text

    def number(self, atom: Atom, tight: int = 0) -> str:
        """A number that is no tensor."""
        text = self.of(atom, _TIGHT if atom in self._attributes else tight)
        return f"{text}.integer()" if atom in self._attributes else text

    def equation(self, eqn: Eqn) -> str | None:
        """The right-hand side, or None where it waits to be nested in the equation that reads it."""
        text = self._call(eqn)
        out = eqn.outs[0]
        if self._nests(out):
            self._pending[out] = text
            return None
        return text[0]

    def _nests(self, out: Var) -> bool:
        made_up = out.temp or out.kind == "value" or out in self._results
        return made_up and self._counts.get(out, 0) == 1

    def conditional(self, eqn: Eqn) -> bool:
        """Whether a conditional has one output, and branches that nest into an expression."""
        return len(eqn.outs) == 1 and all(
            all(len(e.outs) == 1 and e.op != "if" and self._nests(e.outs[0]) for e in block.eqns)
            for block in eqn.blocks
        )

    def _call(self, eqn: Eqn) -> Text:
        is_value = eqn.outs[0].kind == "value"
        if eqn.op in _STRUCTURAL:
            return _STRUCTURAL[eqn.op](self, eqn)
        if is_value and eqn.op in _OF_NUMBERS:
            sign, binds = _OF_NUMBERS[eqn.op]
            left, right = eqn.args
            return f"{self.number(left, binds)} {sign} {self.number(right, binds + 1)}", binds
        if is_value or eqn.op not in OPERATORS:
            raise Unwritten(_what(eqn))
        if eqn.op in _INFIX:
            sign, binds = _INFIX[eqn.op]
            left, right = eqn.args
            return f"{self.of(left, binds)} {sign} {self.of(right, binds + 1)}", binds
        if eqn.op == "negative":
            return f"-{self.of(eqn.args[0], 7)}", 7
        return f"{eqn.op}({', '.join(self._arguments(eqn))})", _TIGHT

    def _arguments(self, eqn: Eqn) -> list[str]:
        word = OPERATORS[eqn.op]
        given = [self.of(atom) for atom in eqn.args]
        last = max((i for i, name in enumerate(word.attrs) if eqn.kwarg(name) is not None), default=-1)
        for name in word.attrs[: last + 1]:
            value = eqn.kwarg(name)
            given.append("none" if value is None else self.of(value))
        if any(name not in word.attrs for name, _ in eqn.kwargs):
            raise Unwritten(f"{eqn.op} with such arguments")
        return given

    def _if(self, eqn: Eqn) -> Text:
        condition = eqn.args[0]
        then, other = (block.results[0] for block in eqn.blocks)
        if then == condition and not eqn.blocks[0].eqns:
            for inner in eqn.blocks[1].eqns:
                self.equation(inner)
            return f"{self.truth(condition, 2)} || {self.truth(other, 3)}", 2
        test = self.truth(condition, _QUESTION + 1)
        branches = []
        is_tensor = eqn.outs[0].kind == "tensor"
        for block, result in zip(eqn.blocks, (then, other), strict=True):
            for inner in block.eqns:
                self.equation(inner)
            text = self.of(result, _QUESTION + 1) if is_tensor else self.number(result, _QUESTION + 1)
            branches.append(f"Tensor({text})" if is_tensor and isinstance(result, Literal) else text)
        return f"{test} ? {branches[0]} : {branches[1]}", _QUESTION

    def _like(self, eqn: Eqn) -> Text:
        (of,) = eqn.args
        assert isinstance(of, Var)
        source = self.source(of)
        if of.kind == "list":
            return "saved.likes()", _TIGHT
        return source or f"like({self.of(of)})", _TIGHT

    def _shape(self, eqn: Eqn) -> Text:
        (of,) = eqn.args
        assert isinstance(of, Var)
        source = self.source(of)
        return f"{source}.shape" if source else f"{self.of(of, _TIGHT)}.shape()", _TIGHT

    def _count(self, eqn: Eqn) -> Text:
        (of,) = eqn.args
        assert isinstance(of, Var)
        source = self.source(of)
        return f"{eqn.op}_of({source})" if source else f"{self.of(of, _TIGHT)}.{eqn.op}()", _TIGHT

    def _is_none(self, eqn: Eqn) -> Text:
        (of,) = eqn.args
        if of in self._attributes:
            return f"{self.of(of)}.is_none()", _TIGHT
        return f"!{self.of(of, 8)}", 8

    def _not(self, eqn: Eqn) -> Text:
        return f"!{self.truth(eqn.args[0], 8)}", 8

    def _slice(self, eqn: Eqn) -> Text:
        ends = zip(("start", "stop", "step"), eqn.args, strict=True)
        given = [
            f".{name} = {self.number(atom)}"
            for name, atom in ends
            if not (isinstance(atom, Literal) and atom.value is None)
        ]
        self._slices.add(eqn.outs[0])
        return f"Slice{{{', '.join(given)}}}", _TIGHT

    def _tuple(self, eqn: Eqn) -> Text:
        made = "Shape" if self._slices.isdisjoint(eqn.args) else "Index"
        return f"{made}{{{', '.join(self.number(atom) for atom in eqn.args)}}}", _TIGHT

    def _list(self, eqn: Eqn) -> Text:
        return f"Tensors{{{', '.join(self.of(atom) for atom in eqn.args)}}}", _TIGHT

    def _item(self, eqn: Eqn) -> Text:
        of, place = eqn.args
        return f"{self.of(of, _TIGHT)}[{self.number(place)}]", _TIGHT

    def _range(self, eqn: Eqn) -> Text:
        return f"range({', '.join(self.number(atom) for atom in eqn.args)})", _TIGHT


_STRUCTURAL: dict[str, Callable[[Expressions, Eqn], Text]] = {
    "if": Expressions._if,
    "like": Expressions._like,
    "shape": Expressions._shape,
    "ndim": Expressions._count,
    "size": Expressions._count,
    "is_none": Expressions._is_none,
    "not_": Expressions._not,
    "slice": Expressions._slice,
    "tuple": Expressions._tuple,
    "list": Expressions._list,
    "item": Expressions._item,
    "range": Expressions._range,
}


def _what(eqn: Eqn) -> str:
    callee = eqn.kwarg("callee")
    return f"a call of {callee.value}" if isinstance(callee, Literal) else f"a call of {eqn.op}"


def _literal(atom: Literal) -> str:
    text = constant(atom.value)
    return f"strong({text})" if atom.strong else text


def constant(value: object) -> str:
    """A constant as C++."""
    if value is None:
        return "none"
    if value is Ellipsis:
        return "ellipsis"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (tuple, list)):
        return f"{{{', '.join(map(constant, value))}}}"
    if isinstance(value, float) and math.isinf(value):
        return "-kInfinity" if value < 0 else "kInfinity"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, str):
        return f'"{value}"'
    raise Unwritten(f"the constant {value!r}")
