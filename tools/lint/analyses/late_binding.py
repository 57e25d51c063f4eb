"""Functions that outlive an iteration of a loop and read its variable: Python binds it late.

In: a module. Out: a `Late` for each variable that such a function reads when it is called, after the loop.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from ....transpile.ir import Span
from ..frontend.classes import function_classes, last_name
from ..frontend.modules import TorchModule

FORMULAS = frozenset({"formula", "composite"})
STORING = frozenset({"append", "insert", "setdefault"})
_DEF = re.compile(r"\bdef\b")
_LOOP = re.compile(r"\b(?:for|while)\b")

Function = ast.FunctionDef | ast.Lambda
Loop = ast.For | ast.AsyncFor | ast.While


@dataclass(frozen=True)
class Late:
    """A variable of a loop, the place where a function reads it, and the formula or class that it is in."""

    variable: str
    owner: str
    span: Span


def late_bindings(module: TorchModule) -> Iterator[Late]:
    """Formulas that a loop defines, and closures that autograd functions, hooks and lists leave behind."""
    with_loops = [one for one in module.tree.body if _may_loop(one, module.text(one))]
    if not with_loops:
        return
    nodes = [node for statement in with_loops for node in ast.walk(statement)]
    own = {c.own.node: c.name for c in function_classes(module)}
    owners = {id(n): own[c] for c in nodes if isinstance(c, ast.ClassDef) and c in own for n in ast.walk(c)}
    functions = sorted(n.lineno for n in nodes if isinstance(n, Function))
    for loop in nodes:
        if isinstance(loop, ast.ListComp):
            yield from _in_list(loop, owners, module)
        if not isinstance(loop, Loop) or not _holds(loop, functions):
            continue
        variables = _variables(loop)
        stored = _stored(loop)
        for block in _blocks(loop.body):
            if isinstance(block[-1], ast.Return | ast.Break):
                continue  # the loop ends with this iteration
            for function in _functions(block):
                owner = _owner(function, owners, stored)
                for node in _free(function, variables) if owner else ():
                    yield Late(node.id, owner, module.span(node))


def _may_loop(statement: ast.stmt, text: str) -> bool:
    """False where the words of a statement at the top level say that no loop in it holds a function."""
    if not _LOOP.search(text):
        return False
    members = statement.body if isinstance(statement, ast.ClassDef) else [statement]
    outer = sum(isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef) for one in members)
    return "lambda" in text or len(_DEF.findall(text)) > outer


def _holds(loop: Loop, functions: list[int]) -> bool:
    """True if a function begins in the lines of a loop."""
    after = bisect_left(functions, loop.lineno)
    return after < len(functions) and functions[after] <= (loop.end_lineno or loop.lineno)


def _in_list(made: ast.ListComp, owners: dict[int, str], module: TorchModule) -> Iterator[Late]:
    """``[lambda x: x * k for k in range(3)]``: a list of functions, none of which ran while it was made."""
    if isinstance(made.elt, ast.Lambda):
        variables = {name for part in made.generators for name in _bound(part.target)}
        for node in _free(made.elt, variables):
            yield Late(node.id, owners.get(id(made.elt), "lambda"), module.span(node))


def _variables(loop: Loop) -> set[str]:
    """The variables of a loop: what it counts by, and what its statements compute from that."""
    if isinstance(loop, ast.While):
        tested = {n.id for n in ast.walk(loop.test) if isinstance(n, ast.Name)}
        found = {
            s.target.id
            for s in loop.body
            if isinstance(s, ast.AugAssign) and isinstance(s.target, ast.Name) and s.target.id in tested
        }
    else:
        found = _bound(loop.target)
    for statement in loop.body:
        match statement:
            case ast.Assign(targets=targets, value=value) if not isinstance(value, ast.Lambda):
                if any(isinstance(n, ast.Name) and n.id in found for n in ast.walk(value)):
                    found |= {t.id for t in targets if isinstance(t, ast.Name)}
    return found


def _bound(target: ast.expr) -> set[str]:
    return {n.id for n in ast.walk(target) if isinstance(n, ast.Name)}


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


def _stored(loop: Loop) -> dict[str | int, bool]:
    """The functions that a loop stores for later, by name or node.

    True where they are called after it for certain: hooks, and the items of a list that the loop only fills.
    """
    found: dict[str | int, bool] = {}
    names = Counter(n.id for n in ast.walk(loop) if isinstance(n, ast.Name))
    filled = Counter(
        node.func.value.id
        for node in ast.walk(loop)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.attr in STORING
    )
    for node in ast.walk(loop):
        given: list[ast.expr] = []
        later = False
        match node:
            case ast.Call(func=ast.Attribute(value=owner, attr=name), args=args):
                hook = name.startswith("register_") and "hook" in name
                given = args if hook or name in STORING else []
                later = hook or (isinstance(owner, ast.Name) and names[owner.id] == filled[owner.id])
            case ast.Assign(targets=[ast.Subscript() | ast.Attribute()], value=value):
                given = [value]
        for one in given:
            found[one.id if isinstance(one, ast.Name) else id(one)] = later
    return found


def _owner(function: Function, owners: dict[int, str], stored: dict[str | int, bool]) -> str:
    """The formula, the class, or the function; "" where it may be called in its iteration only."""
    name = function.name if isinstance(function, ast.FunctionDef) else "lambda"
    if isinstance(function, ast.FunctionDef) and {last_name(d) for d in function.decorator_list} & FORMULAS:
        return name
    later = stored.get(name if isinstance(function, ast.FunctionDef) else id(function))
    if later is None:
        return ""
    return owners.get(id(function), name if later else "")


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
