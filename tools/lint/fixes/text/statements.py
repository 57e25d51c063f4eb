"""Statements of a forward by their form: what they bind, save, record and differentiate."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...analyses.statements import is_tensor_test
from .reading import bound, sets_attribute


def split(statement: ast.stmt) -> list[ast.stmt]:
    """``ctx.a, ctx.b = a, b`` and ``ctx.a = a = value`` as assignments of one attribute each.

    No value may read what the statement sets.
    """
    match statement:
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)) if (
            len(targets) == len(values)
            and all(isinstance(t, ast.Attribute) for t in targets)
            and not any(isinstance(v, ast.Starred) for v in values)
            and not {ast.unparse(t) for t in targets}
            & {ast.unparse(n) for v in values for n in ast.walk(v) if isinstance(n, ast.Attribute)}
        ):
            pairs = zip(targets, values, strict=True)
            return [ast.copy_location(ast.Assign([t], value), value) for t, value in pairs]
        case ast.Assign(targets=[ast.Attribute() as attribute, ast.Name() as name], value=value):
            own = ast.copy_location(ast.Assign([name], value), name)
            own.end_lineno, own.end_col_offset = value.end_lineno, value.end_col_offset
            read = ast.copy_location(ast.Name(name.id, ast.Load()), name)
            return [own, ast.copy_location(ast.Assign([attribute], read), name)]
    return [statement]


def always_true(function: ast.FunctionDef, context: str) -> set[str]:
    """Names that are bound once, to ``any(ctx.needs_input_grad)``."""
    counts: dict[str, int] = {}
    found = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            counts[node.id] = counts.get(node.id, 0) + 1
        if isinstance(node, ast.Assign) and asks_for_any(node.value, context):
            found |= bound(node)
    return {name for name in found if counts[name] == 1}


def simple_in(statements: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a block that have no others in them, and those of its branches and loops."""
    for statement in statements:
        inner = [s for s in ast.iter_child_nodes(statement) if isinstance(s, ast.stmt)]
        yield from simple_in(inner) if inner else (statement,)


def stored_name(statement: ast.stmt, context: str, attribute: str) -> str:
    """``t`` of ``ctx.t = t`` and ``ctx.t = t = value``; "" for another statement."""
    for one in split(statement):
        if sets_attribute(one, context, attribute) and isinstance(one, ast.Assign):
            return one.value.id if isinstance(one.value, ast.Name) and len(one.targets) == 1 else ""
    return ""


def rebound(statement: ast.stmt) -> set[str]:
    """Names that a statement, and not one inside of it, gives another value."""
    match statement:
        case ast.For(target=target):
            return bound(target)
        case (
            ast.Assign() | ast.AnnAssign() | ast.With() | ast.Import() | ast.ImportFrom() | ast.FunctionDef()
        ):
            return bound(statement)
        case ast.Expr() | ast.Return():
            return bound(statement)
    return set()


def attributes_in_tuple(statement: ast.stmt, context: str) -> list[str]:
    """``a`` of ``ctx.a, b = value``; none where the targets are anything but names and such attributes."""
    match statement:
        case ast.Assign(targets=[ast.Tuple(elts=targets)]):
            found = [t.attr for t in targets if isinstance(t, ast.Attribute) and is_name(t.value, context)]
            names = sum(isinstance(t, ast.Name) for t in targets)
            return found if len(found) + names == len(targets) else []
    return []


def is_name(node: ast.expr, name: str) -> bool:
    """True for this name."""
    return isinstance(node, ast.Name) and node.id == name


def leaves_of(statement: ast.stmt) -> set[str]:
    """The names by which ``g, = torch.autograd.grad(y, x)`` differentiates; none for another statement."""
    match statement:
        case ast.Assign(value=ast.Call(func=ast.Attribute() as function, args=[_, by, *_])) if ast.unparse(
            function
        ).endswith("autograd.grad"):
            names = by.elts if isinstance(by, ast.Tuple | ast.List) else [by]
            return {ast.unparse(name) for name in names}
    return set()


def sets_requires_grad(node: ast.AST) -> bool:
    """True for a write of a tensor's `requires_grad`."""
    match node:
        case ast.Attribute(attr="requires_grad", ctx=ast.Store()):
            return True
    return False


def records_all(decorator: ast.expr) -> bool:
    """True for `enable_grad` as a decorator."""
    return ast.unparse(decorator).rpartition(".")[2] in ("enable_grad", "enable_grad()")


def records(item: ast.withitem) -> bool:
    """True for a `with` of `enable_grad`."""
    return ast.unparse(item.context_expr).rpartition(".")[2] == "enable_grad()"


def records_nothing(item: ast.withitem) -> bool:
    """True for a `with` of `no_grad`."""
    node = item.context_expr
    return isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == "no_grad"


def made_tensor(statement: ast.If) -> str:
    """The name ``x`` of ``if not isinstance(x, torch.Tensor): x = torch.tensor(x)``; "" where it is none."""
    match statement:
        case ast.If(
            test=ast.UnaryOp(op=ast.Not(), operand=test),
            body=[ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=ast.Attribute(attr=made)))],
            orelse=[],
        ) if is_tensor_test(test) == name and made in ("tensor", "as_tensor"):
            return name
    return ""


def asks_for_any(node: ast.expr, context: str) -> bool:
    """True for ``any(ctx.needs_input_grad)``."""
    return ast.unparse(node) == f"any({context}.needs_input_grad)"


def keyword(statement: ast.stmt) -> str:
    """The statement's kind, as a message names it."""
    return type(statement).__name__.lower()
