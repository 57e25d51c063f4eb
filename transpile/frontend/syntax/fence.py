"""Refusals of what the language leaves out, with what to write instead."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ...codes import diagnostic
from ...diagnostics import Diagnostic
from ...ir import Span


class Refusal(Exception):
    """Something that cannot be read. `finding` is None where it was reported already."""

    def __init__(self, finding: Diagnostic | None = None) -> None:
        super().__init__(finding.message if finding else "reported before")
        self.finding = finding


def refuse(code: str, message: str, span: Span, *, value: str = "", hint: str = "") -> Refusal:
    """The exception to raise for a finding."""
    return Refusal(diagnostic(code, message, span, value=value, hint=hint))


_STATEMENTS: dict[str, tuple[str, str]] = {
    "While": (
        "a `while` loop without a way out",
        "write `for _ in range(limit):`, with `if not ...: break` in the place of the condition",
    ),
    "AsyncFor": ("an `async for` loop", "a formula is plain synchronous code"),
    "AsyncWith": ("an `async with` statement", "a formula is plain synchronous code"),
    "AsyncFunctionDef": ("an `async` function", "a formula is plain synchronous code"),
    "With": ("a `with` statement", "move it to the caller of the formula"),
    "Try": ("a `try` statement", "test the condition with `if` instead"),
    "TryStar": ("a `try` statement", "test the condition with `if` instead"),
    "ClassDef": ("a class", "define it outside of the formula"),
    "Global": ("a `global` statement", "a formula has no state: pass the value as a parameter"),
    "Nonlocal": ("a `nonlocal` statement", "return the value instead of rebinding an outer name"),
    "Delete": ("such a `del` statement", "delete names; build the list or array without the part"),
    "Import": ("this import", "import at the top of the module"),
    "ImportFrom": ("this import", "import at the top of the module"),
    "Match": ("a `match` statement that takes values apart", "write `if` and `elif`"),
    "TypeAlias": ("a type alias", "define it at the top of the module"),
}

_EXPRESSIONS: dict[str, tuple[str, str]] = {
    "Yield": ("a generator (`yield`)", "return the result and the closure: `return result, pullback`"),
    "YieldFrom": (
        "a generator (`yield from`)",
        "return the result and the closure: `return result, pullback`",
    ),
    "Await": ("`await`", "a formula is plain synchronous code"),
    "NamedExpr": (
        "an assignment (`:=`) in a part of an expression that may not be reached",
        "assign it on a line of its own",
    ),
    "Set": ("a set", "use a tuple"),
    "SetComp": ("a set comprehension", "use a tuple"),
    "GeneratorExp": ("a generator expression", "write a list out, or a list comprehension over one"),
    "ListComp": ("this list comprehension", "let it run over a tuple or list that is written out"),
    "TemplateStr": ("a template string", "use a plain string"),
    "Lambda": ("a `lambda` here", "define a helper with `def` and call it"),
    "Starred": ("unpacking with `*` here", "write the elements out, or join arrays: `np.concatenate`"),
}


def statement(node: ast.stmt, span: Span) -> Refusal:
    """The refusal of a statement that the language doesn't have."""
    what, hint = _STATEMENTS.get(
        type(node).__name__, (f"`{type(node).__name__}`", "use assignments and `if`")
    )
    return refuse("PB401", f"{what} is outside of the formula language", span, hint=hint)


def expression(node: ast.expr, span: Span) -> Refusal:
    """The refusal of an expression that the language doesn't have."""
    name = type(node).__name__
    what, hint = _EXPRESSIONS.get(name, (f"`{name}`", "use arithmetic, comparisons and calls"))
    return refuse("PB402", f"{what} is outside of the formula language", span, hint=hint)


def is_generator(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> ast.expr | None:
    """The first ``yield`` or ``await`` of a function itself, nested functions left out."""
    body: list[ast.AST] = list(node.body) if isinstance(node.body, list) else [node.body]
    while body:
        item = body.pop(0)
        if isinstance(item, ast.Yield | ast.YieldFrom | ast.Await):
            return item
        if not isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            body[:0] = ast.iter_child_nodes(item)
    return None


def outside_of_loops(body: Sequence[ast.stmt]) -> ast.stmt | None:
    """The first ``break`` or ``continue`` that no loop is around, nested functions entered."""
    for node in body:
        if isinstance(node, ast.Break | ast.Continue):
            return node
        inner = [*node.orelse] if isinstance(node, ast.For | ast.While | ast.If) else []
        inner += node.body if isinstance(node, ast.If | ast.FunctionDef) else []
        if (found := outside_of_loops(inner)) is not None:
            return found
    return None
