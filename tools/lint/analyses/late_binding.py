"""Functions that outlive an iteration of a loop and read its variable: Python binds it late.

In: a module. Out: a `Late` for each variable that such a function reads when it is called, after the loop.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from ....transpile.ir import Span
from ..frontend.classes import function_classes, last_name
from ..frontend.modules import TorchModule

FORMULAS = frozenset({"formula", "composite"})
STORING = frozenset({"append", "insert", "setdefault"})

Function = ast.FunctionDef | ast.Lambda


@dataclass(frozen=True)
class Late:
    """A variable of a loop, the place where a function reads it, and the formula or class that it is in."""

    variable: str
    owner: str
    span: Span


def late_bindings(module: TorchModule) -> Iterator[Late]:
    """Formulas that a loop defines, and closures that autograd functions and hooks leave behind."""
    owners = {id(n): c.name for c in function_classes(module) for n in ast.walk(c.own.node)}
    for loop in ast.walk(module.tree):
        if not isinstance(loop, ast.For | ast.AsyncFor):
            continue
        variables = {n.id for n in ast.walk(loop.target) if isinstance(n, ast.Name)}
        stored = _stored(loop)
        for block in _blocks(loop.body):
            if isinstance(block[-1], ast.Return | ast.Break):
                continue  # the loop ends with this iteration
            for function in _functions(block):
                owner = _owner(function, owners, stored)
                for node in _free(function, variables) if owner else ():
                    yield Late(node.id, owner, module.span(node))


def _blocks(body: list[ast.stmt]) -> Iterator[list[ast.stmt]]:
    """A block, and those of branches in it."""
    yield body
    for statement in body:
        if isinstance(statement, ast.If | ast.With | ast.Try):
            yield from _blocks(statement.body)
            if not isinstance(statement, ast.With) and statement.orelse:
                yield from _blocks(statement.orelse)


def _functions(block: list[ast.stmt]) -> Iterator[Function]:
    """Functions that a block defines itself."""
    for statement in block:
        if isinstance(statement, ast.FunctionDef):
            yield statement
        elif not isinstance(statement, ast.If | ast.With | ast.Try | ast.For | ast.While | ast.ClassDef):
            yield from (n for n in ast.walk(statement) if isinstance(n, ast.Lambda))


def _stored(loop: ast.For | ast.AsyncFor) -> dict[str | int, bool]:
    """The functions that a loop stores for later, by name or node; True for a hook."""
    found: dict[str | int, bool] = {}
    for node in ast.walk(loop):
        given: list[ast.expr] = []
        hook = False
        match node:
            case ast.Call(func=ast.Attribute(attr=name), args=args):
                hook = name.startswith("register_") and "hook" in name
                given = args if hook or name in STORING else []
            case ast.Assign(targets=[ast.Subscript() | ast.Attribute()], value=value):
                given = [value]
        for one in given:
            found[one.id if isinstance(one, ast.Name) else id(one)] = hook
    return found


def _owner(function: Function, owners: dict[int, str], stored: dict[str | int, bool]) -> str:
    """The formula, the class, or the hook; "" for a function that is only called in its iteration."""
    name = function.name if isinstance(function, ast.FunctionDef) else "lambda"
    if isinstance(function, ast.FunctionDef) and {last_name(d) for d in function.decorator_list} & FORMULAS:
        return name
    hook = stored.get(name if isinstance(function, ast.FunctionDef) else id(function))
    if hook is None:
        return ""
    return owners.get(id(function), name if hook else "")


def _free(function: Function, variables: set[str]) -> Iterator[ast.Name]:
    """The first place where each of the variables is read that the function does not bind itself."""
    nodes = [n for part in _body(function) for n in ast.walk(part)]
    own = {n.arg for n in ast.walk(function) if isinstance(n, ast.arg)}
    own |= {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    places: dict[str, ast.Name] = {}
    for node in nodes:
        if isinstance(node, ast.Name) and node.id in variables - own:
            places.setdefault(node.id, node)
    return iter(places.values())


def _body(function: Function) -> list[ast.stmt] | list[ast.expr]:
    return [function.body] if isinstance(function, ast.Lambda) else function.body
