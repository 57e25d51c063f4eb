"""The statements of a function as one expression: what an entry of the table is.

A name that is assigned is its value wherever it is read; branches are conditional expressions. Several names
that one value is unpacked to are elements of it that know each other (`Part`).
"""

from __future__ import annotations

import ast
import copy
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .errors import NotExported

Values = dict[str, ast.expr]
# The names that stand for what a value is unpacked to, or None where it is a value as others are.
Known = Callable[[ast.expr], "Sequence[str] | None"]


@dataclass(frozen=True)
class Part:
    """An element of a value that is unpacked, as `part` of its node says.

    whole  what the elements of one unpacking have in common
    """

    whole: object
    index: int
    count: int


def part_of(node: ast.expr) -> Part | None:
    """The place of an element among those that one value is unpacked to, or None."""
    return getattr(node, "part", None)


def unpacked(value: ast.expr, count: int) -> list[ast.expr]:
    """The elements of a value: `value[0]`, `value[1]`."""
    made: list[ast.expr] = []
    whole = next(_WHOLES)
    for index in range(count):
        element = ast.copy_location(ast.Subscript(value, ast.Constant(index), ast.Load()), value)
        element.part = Part(whole, index, count)  # type: ignore[attr-defined]
        made.append(element)
    return made


_WHOLES = itertools.count()


class Function:
    """A function that is folded.

    names   what its parameters are, and names around it
    known   says which values are names of the entry: its results, a clone of what is written over
    inner   functions that are defined in it, by their names
    """

    def __init__(self, names: Values, known: Known) -> None:
        self.known = known
        self.names = dict(names)
        self.inner: dict[str, ast.FunctionDef] = {}

    def returned(self, body: Sequence[ast.stmt], place: ast.AST) -> ast.expr:
        """The value that the statements return.

        Raises NotExported at a statement that is no part of an expression.
        """
        value = self._run(body, self.names)
        if value is None:
            raise NotExported("a formula of the table has a value", place, "return the gradients")
        return value

    def _run(self, body: Sequence[ast.stmt], names: Values) -> ast.expr | None:
        for position, statement in enumerate(body):
            if isinstance(statement, ast.Return):
                nothing = ast.copy_location(ast.Constant(None), statement)
                return filled(statement.value or nothing, names)
            if isinstance(statement, ast.If):
                value = self._branches(statement, body[position + 1 :], names)
                if value is not None:
                    return value
            else:
                self._statement(statement, names)
        return None

    def _statement(self, statement: ast.stmt, names: Values) -> None:
        if isinstance(statement, ast.FunctionDef):
            self.inner[statement.name] = statement
        elif isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            self._assign(statement.targets[0], statement.value, names)
        elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
            self._assign(statement.target, statement.value, names)
        elif not isinstance(statement, ast.Pass) and not _is_text(statement):
            raise NotExported(
                "an entry of the table is an expression: no statement but `=`, `if` and `return` is one",
                statement,
                "write an expression, or a helper of pullback.formulas.aten that is a function in C++",
            )

    def _assign(self, target: ast.expr, value: ast.expr, names: Values) -> None:
        targets = target.elts if isinstance(target, ast.Tuple) else [target]
        spelled = [element.id for element in targets if isinstance(element, ast.Name)]
        if len(spelled) != len(targets):
            raise NotExported("an entry assigns to names only", target, "give the value a name")
        made = filled(value, names)
        known = self.known(made)
        if known is not None and len(known) == len(spelled):
            names |= {
                each: ast.copy_location(ast.Name(name, ast.Load()), value)
                for each, name in zip(spelled, known, strict=True)
            }
        elif not isinstance(target, ast.Tuple):
            names[spelled[0]] = made
        elif isinstance(made, ast.Tuple) and len(made.elts) == len(spelled) and not _is_nothing(made):
            names |= dict(zip(spelled, made.elts, strict=True))
        else:
            names |= dict(zip(spelled, unpacked(made, len(spelled)), strict=True))

    def _branches(self, node: ast.If, rest: Sequence[ast.stmt], names: Values) -> ast.expr | None:
        """The value where the branches return; else the names that they assign are conditional."""
        test = filled(node.test, names)
        first, second = dict(names), dict(names)
        value = self._run(node.body, first)
        other = self._run(node.orelse, second)
        if value is not None:
            other = self._run(rest, second) if other is None else other
            if other is None:
                raise NotExported("one of the branches has no value", node, "return in both branches")
            return _chosen(test, value, other, node)
        if other is not None:
            value = self._run(rest, first)
            if value is None:
                raise NotExported("one of the branches has no value", node, "return in both branches")
            return _chosen(test, value, other, node)
        self._merge(test, first, second, node, names)
        return None

    def _merge(self, test: ast.expr, first: Values, second: Values, node: ast.If, names: Values) -> None:
        wholes: dict[tuple[object, object], list[ast.expr]] = {}
        for each in first:
            if each not in second:
                continue
            one, two = first[each], second[each]
            if one is two:
                continue
            part, other = part_of(one), part_of(two)
            if part and other and (part.index, part.count) == (other.index, other.count):
                assert isinstance(one, ast.Subscript)
                assert isinstance(two, ast.Subscript)
                key = (part.whole, other.whole)
                if key not in wholes:
                    wholes[key] = unpacked(_chosen(test, one.value, two.value, node), part.count)
                names[each] = wholes[key][part.index]
            else:
                names[each] = _chosen(test, one, two, node)


def _chosen(test: ast.expr, first: ast.expr, second: ast.expr, place: ast.AST) -> ast.expr:
    if isinstance(first, ast.Tuple) and isinstance(second, ast.Tuple) and len(first.elts) == len(second.elts):
        pairs = zip(first.elts, second.elts, strict=True)
        values: list[ast.expr] = [_chosen(test, one, two, place) for one, two in pairs]
        return ast.copy_location(ast.Tuple(values, ast.Load()), place)
    return ast.copy_location(ast.IfExp(test, first, second), place)


def _is_nothing(node: ast.Tuple) -> bool:
    """True for `None, None`, which a branch has in the place of a value that is unpacked."""
    return all(isinstance(element, ast.Constant) and element.value is None for element in node.elts)


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


class _Filled(ast.NodeTransformer):
    def __init__(self, names: Values) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.expr:
        value = self.names.get(node.id)
        if isinstance(value, ast.Name):
            return ast.copy_location(ast.Name(value.id, ast.Load()), node)
        return node if value is None else value

    def visit_ListComp(self, node: ast.ListComp) -> ast.expr:
        own = {
            each.id
            for loop in node.generators
            for each in ast.walk(loop.target)
            if isinstance(each, ast.Name)
        }
        inner = _Filled({name: value for name, value in self.names.items() if name not in own})
        node.generators[0].iter = self.visit(node.generators[0].iter)
        node.elt = inner.visit(node.elt)
        return node


def filled(node: ast.expr, names: Values) -> ast.expr:
    """The expression with the values of names in their place."""
    made: ast.expr = _Filled(names).visit(copy.deepcopy(node))
    return made
