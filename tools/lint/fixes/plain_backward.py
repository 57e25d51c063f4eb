"""Changes in place of a backward as assignments: autograd may need a value as it was before.

A backward whose captured values get their history is recorded, and autograd refuses to differentiate it where
a change in place overwrote what a derivative needs.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..analyses.torch_names import is_in_place
from .text.aliases import Aliases
from .text.in_place import Method, functional
from .text.place import Place
from .text.reading import changed, reads
from .text.shared_saved import shared_saved
from .text.splices import CannotFix


def apply(place: Place) -> None:
    """Rewrite the backward's statements that change a tensor in place.

    Where one of them cannot be rewritten, none is that may change the same memory.
    """
    backward, text = place.backward, place.text
    arguments = {a.arg for a in (*backward.args.posonlyargs, *backward.args.args)}
    shared = shared_saved(place)
    method = Method(text, backward, arguments, lambda test: None, shared)
    memory = Aliases(backward, lambda test: None, written=True, shared=shared)
    made: list[tuple[ast.stmt, list[str]]] = []
    left: set[str] = set()
    for statement, loops in _simple(backward.body, ()):
        if not any(_changes(node) for node in ast.walk(statement)):
            continue
        try:
            text.indent(statement)
            made.append((statement, functional(statement, method, _read_later(backward, statement, loops))))
        except CannotFix:
            left |= changed(statement)
    left |= {other for name in left for other in memory.of(name)}
    for statement, lines in made:
        if not changed(statement) & left:
            text.replace(statement, f"\n{text.indent(statement)}".join(lines))


def _changes(node: ast.AST) -> bool:
    if isinstance(node, ast.AugAssign):
        return True
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and is_in_place(node.func.attr)


Loops = tuple[ast.For | ast.While, ...]


def _simple(body: list[ast.stmt], loops: Loops) -> Iterator[tuple[ast.stmt, Loops]]:
    """The simple statements of a block, and the loops around each."""
    for statement in body:
        match statement:
            case ast.Assign() | ast.AugAssign() | ast.Expr() | ast.Return():
                yield statement, loops
            case ast.If() | ast.With() | ast.For() | ast.While():
                inside = (*loops, statement) if isinstance(statement, ast.For | ast.While) else loops
                yield from _simple(statement.body, inside)
                yield from _simple(getattr(statement, "orelse", []), loops)


def _read_later(function: ast.FunctionDef, statement: ast.stmt, loops: Loops) -> set[str]:
    """Names that are read after a statement, or in another iteration of a loop around it."""
    end = statement.end_lineno or statement.lineno
    later = {
        ast.unparse(node)
        for node in ast.walk(function)
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load) and node.lineno > end
    }
    return later.union(*(reads(loop) for loop in loops))
