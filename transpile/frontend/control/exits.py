"""The ways out of a loop before its last iteration, as a number that the loop carries.

``return`` and ``break`` in a loop's body become a number that says which of them was met;
what is returned is computed after the loop.
"""

from __future__ import annotations

import ast
import copy
from dataclasses import dataclass

from ...ir import Literal, Var
from ..state.values import Frame
from ..syntax.assigned import assigned
from ..syntax.leaving import may_leave

# The name, which no author can write, under which a loop carries which of its exits was met.
STOPPED = "<stopped>"


class Endless(ast.For):
    """A loop that nothing but its ways out ends."""


@dataclass
class Exits:
    """A loop's body that returns which exit was met, what is done after the loop, and the name of that flag.

    There is no flag where every iteration runs.
    """

    body: list[ast.stmt]
    after: list[ast.stmt]
    flag: str | None


def exits_of(frame: Frame, node: ast.For) -> Exits:
    """The ways out of a loop before its last iteration: ``return`` and ``break``."""
    *body, last = node.body
    if not may_leave(node.body):
        return Exits([*node.body], [], None)
    flag = _tested_at_the_end(frame, last)
    if flag is not None and not may_leave(body) and flag in assigned(body):
        return Exits(body, [], flag)
    return _numbered(node)


def _tested_at_the_end(frame: Frame, last: ast.stmt) -> str | None:
    """The name in ``if name: break``, where it holds a number before the loop."""
    if not isinstance(last, ast.If) or last.orelse or not isinstance(last.test, ast.Name):
        return None
    held = frame.local.get(last.test.id)
    number = isinstance(held, Literal) and isinstance(held.value, int)
    ends = len(last.body) == 1 and isinstance(last.body[0], ast.Break)
    return last.test.id if ends and (number or (isinstance(held, Var) and held.kind == "value")) else None


class _Numbered(ast.NodeTransformer):
    """Exits of a loop's body as returns of their numbers; ``continue`` is one of number 0.

    `exits`: what each ``return`` does, with the statements before it in its branch, and None for a ``break``.
    """

    def __init__(self) -> None:
        self.exits: list[list[ast.stmt] | None] = []
        self._inner = 0  # loops inside of the body that are around

    def visit_Return(self, node: ast.Return) -> ast.Return:
        self.exits.append([node])
        return self._left(len(self.exits), node)

    def visit_If(self, node: ast.If) -> ast.AST:
        node.body, node.orelse = self._branch(node.body), self._branch(node.orelse)
        return node

    def _branch(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """A branch; one that returns does nothing else in the loop, for nothing after it reads more."""
        if body and isinstance(body[-1], ast.Return) and not may_leave(body[:-1]):
            self.exits.append(body)
            return [self._left(len(self.exits), body[-1])]
        return [self.visit(statement) for statement in body]

    def visit_Break(self, node: ast.Break) -> ast.stmt:
        if self._inner:
            return node
        self.exits.append(None)
        return self._left(len(self.exits), node)

    def visit_Continue(self, node: ast.Continue) -> ast.stmt:
        return node if self._inner else self._left(0, node)

    def visit_For(self, node: ast.For | ast.While) -> ast.AST:
        self._inner += 1
        visited = self.generic_visit(node)
        self._inner -= 1
        return visited

    visit_While = visit_For

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.Lambda:
        return node

    def _left(self, number: int, node: ast.stmt) -> ast.Return:
        return ast.copy_location(ast.Return(_constant(number, node)), node)


def _numbered(node: ast.For) -> Exits:
    """The body whose exits return their number; an iteration that runs to its end returns 0."""
    numbered = _Numbered()
    body: list[ast.stmt] = [numbered.visit(copy.deepcopy(statement)) for statement in node.body]
    body.append(ast.copy_location(ast.Return(_constant(0, node)), node))
    after: list[ast.stmt] = []
    always = isinstance(node, Endless) and None not in numbered.exits
    for number, met in enumerate(numbered.exits, start=1):
        if met is None:
            continue
        if always and number == len(numbered.exits):
            after += met
            break
        place = met[-1]
        test: ast.expr = ast.copy_location(ast.Name(STOPPED, ast.Load()), place)
        if len(numbered.exits) > 1:
            test = ast.copy_location(ast.Compare(test, [ast.Eq()], [_constant(number, place)]), place)
        after.append(ast.copy_location(ast.If(test, met, []), place))
    return Exits(body, after, STOPPED if numbered.exits else None)


def _constant(value: int, place: ast.AST) -> ast.Constant:
    return ast.copy_location(ast.Constant(value), place)
