"""A loop equation as Python statements: ``for item in range(n)``, values carried by assignment."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from ..ir import Eqn, Var
from .python_expr import Expressions

Statements = Callable[[Sequence[Eqn], Expressions], list[ast.stmt]]


def loop_statements(eqn: Eqn, expressions: Expressions, statements: Statements) -> list[ast.stmt]:
    """The values at the start, the loop, and the names of its results."""
    (body,) = eqn.blocks
    item, carried = body.params[0], body.params[1:]
    finals, lists = eqn.outs[: len(carried)], eqn.outs[len(carried) :]
    written: list[ast.stmt] = []
    over = eqn.args[0]
    items = expressions.of(over)
    if not (isinstance(over, Var) and over.kind == "list"):
        items = _call("range", items)
    backwards = eqn.kwarg("reverse") is not None
    for var, start in zip(carried, eqn.args[1:], strict=True):
        value = expressions.of(start)
        if not _is_name(value, var):
            written.append(_assign([var], [value]))
    written += [_assign([var], [ast.List([], ast.Load())]) for var in lists]
    inside = statements(body.eqns, expressions)
    results = [expressions.of(atom) for atom in body.results]
    # Lists that grow by equations of their own have no result here.
    for var, value in zip(lists, results[len(carried) :], strict=False):
        inside.append(append(var, value))
    moved = [(var, value) for var, value in zip(carried, results, strict=False) if not _is_name(value, var)]
    inside += _moves(moved)
    if eqn.kwarg("until") is not None:
        inside.append(ast.If(ast.Name(carried[0].name, ast.Load()), [ast.Break()], []))
    target = ast.Name(item.name, ast.Store())
    iterated = _call("reversed", items) if backwards else items
    written.append(ast.For(target, iterated, inside or [ast.Pass()], []))
    if backwards:
        written += [ast.Expr(_method(var, "reverse")) for var in lists]
    renamed = [(out, var) for out, var in zip(finals, carried, strict=True) if out.name != var.name]
    if renamed:
        values = [ast.Name(var.name, ast.Load()) for _, var in renamed]
        written.append(_assign([out for out, _ in renamed], values))
    return written


def _moves(moved: list[tuple[Var, ast.expr]]) -> list[ast.Assign]:
    """Assign the next iteration's carried values, one by one where no later value reads a changed one."""
    written: list[ast.Assign] = []
    while moved:
        read = [{node.id for node in ast.walk(v) if isinstance(node, ast.Name)} for _, v in moved]
        free = [
            k
            for k, (var, _) in enumerate(moved)
            if not any(var.name in names for other, names in enumerate(read) if other != k)
        ]
        if not free:
            return [*written, _assign([var for var, _ in moved], [value for _, value in moved])]
        var, value = moved.pop(free[0])
        written.append(_assign([var], [value]))
    return written


def append(var: Var, value: ast.expr) -> ast.Expr:
    """``name.append(value)``."""
    return ast.Expr(_method(var, "append", value))


def _assign(names: Sequence[Var], values: Sequence[ast.expr]) -> ast.Assign:
    targets: list[ast.expr] = [ast.Name(var.name, ast.Store()) for var in names]
    if len(targets) == 1:
        return ast.Assign([targets[0]], values[0])
    return ast.Assign([ast.Tuple(targets, ast.Store())], ast.Tuple(list(values), ast.Load()))


def _call(name: str, argument: ast.expr) -> ast.expr:
    return ast.Call(ast.Name(name, ast.Load()), [argument], [])


def _method(var: Var, name: str, *arguments: ast.expr) -> ast.expr:
    return ast.Call(ast.Attribute(ast.Name(var.name, ast.Load()), name, ast.Load()), list(arguments), [])


def _is_name(value: ast.expr, var: Var) -> bool:
    return isinstance(value, ast.Name) and value.id == var.name
