"""Names that statements bind, read and change."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from ...analyses import torch_names


def bound(node: ast.AST) -> set[str]:
    """Names that are assigned anywhere in a statement."""
    found = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    inner = (ast.FunctionDef, ast.ClassDef)
    found |= {n.name for n in ast.walk(node) if isinstance(n, inner)}
    for n in ast.walk(node):
        if isinstance(n, ast.Import | ast.ImportFrom):
            found |= {(a.asname or a.name).partition(".")[0] for a in n.names}
    return found


def reads(node: ast.AST | None) -> set[str]:
    """Names that an expression or statement reads, but for what a comprehension or lambda binds itself."""
    if node is None:
        return set()
    own = {n.arg for n in ast.walk(node) if isinstance(n, ast.arg)}
    for n in ast.walk(node):
        if isinstance(n, ast.comprehension):
            own |= bound(n.target)
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)} - own


def exposed(statements: Iterable[ast.stmt]) -> set[str]:
    """Names that a block reads before it binds them itself."""
    found: set[str] = set()
    known: set[str] = set()
    for statement in statements:
        match statement:
            case ast.Assign(value=value):
                found |= (reads(value) | _written_parts(statement)) - known
                known |= bound(statement)
            case ast.If(test=test, body=body, orelse=orelse):
                found |= (reads(test) | exposed(body) | exposed(orelse)) - known
                known |= _each(body) & _each(orelse)
            case ast.For(target=target, iter=iterator, body=body, orelse=orelse):
                inner = (exposed(body) | exposed(orelse)) - bound(target)
                found |= (reads(iterator) | inner) - known
            case ast.AugAssign(target=ast.Name(id=name), value=value):
                found |= (reads(value) | {name}) - known
            case _:
                found |= reads(statement) - known
    return found


def _each(statements: list[ast.stmt]) -> set[str]:
    return {name for s in statements if isinstance(s, ast.Assign) for name in bound(s)}


def _written_parts(statement: ast.Assign) -> set[str]:
    """``x`` of ``x[i] = 1``."""
    return {name for target in statement.targets for name in reads(target)}


def changed(node: ast.AST) -> set[str]:
    """Names that a statement binds, or whose tensor it writes."""
    return bound(node) | written(node)


def written(node: ast.AST) -> set[str]:
    """Names whose tensor, list or object a statement changes in place, as far as it says so."""
    found: set[str] = set()
    for n in ast.walk(node):
        match n:
            case ast.AugAssign(target=ast.Name(id=name)):
                found.add(name)
            case ast.Call(func=ast.Attribute(value=value, attr=attr)) if torch_names.is_in_place(attr):
                found |= {root} if (root := root_of(value)) else set()
            case ast.Subscript(value=value, ctx=ast.Store()) | ast.Attribute(value=value, ctx=ast.Store()):
                found |= {root} if (root := root_of(value)) else set()
            case ast.keyword(arg="out", value=value):
                found |= reads(value)
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=value))):
                found |= {root} if (root := root_of(value)) else set()
    return found


def root_of(node: ast.expr, written: bool = True) -> str | None:
    """The name whose memory an expression may share: ``x`` of ``x.view(-1)[0].mul_(2)``.

    `written`: follow changes in place; without it they give something new.
    """
    while True:
        match node:
            case ast.Name(id=name):
                return name
            case ast.Subscript(value=value):
                node = value
            case ast.Call(func=ast.Attribute(attr=attr)) if not written and torch_names.is_in_place(attr):
                return None
            case ast.Call(func=ast.Attribute(value=value, attr=attr)) if shares(attr):
                node = value
            case ast.Attribute(value=value, attr=attr) if attr in torch_names.VIEWS:
                node = value
            case _:
                return None


def sets_attribute(statement: ast.stmt, owner: str, name: str) -> bool:
    """True if a function or another statement sets ``owner.name``."""
    return any(
        isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and ast.unparse(node) == f"{owner}.{name}"
        for node in ast.walk(statement)
    )


def is_handed_on(function: ast.FunctionDef, name: str) -> bool:
    """True if an object itself, and not an attribute of it, goes to something else."""
    owners = {id(n.value) for n in ast.walk(function) if isinstance(n, ast.Attribute)}
    names = (n for n in ast.walk(function) if isinstance(n, ast.Name) and n.id == name)
    return any(id(one) not in owners for one in names)


def shares(method: str) -> bool:
    """True if what a method gives may share memory with its tensor."""
    return (
        method in torch_names.VIEWS
        or method in torch_names.MAYBE_VIEWS
        or method in torch_names.MAYBE_SAME
        or torch_names.is_in_place(method)
        or method in torch_names.NOT_WRITING
    )


def is_random(node: ast.AST) -> bool:
    """True if something in it draws random numbers."""
    called = [n.func for n in ast.walk(node) if isinstance(n, ast.Call)]
    names = (f.attr if isinstance(f, ast.Attribute) else getattr(f, "id", "") for f in called)
    if any(name in torch_names.RANDOM for name in names):
        return True
    return any("random" in ast.unparse(f).split(".")[:-1] for f in called)  # np.random.uniform()
