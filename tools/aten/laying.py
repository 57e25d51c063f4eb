"""Long lines of Python, broken as formatters break them."""

from __future__ import annotations

import ast
from collections.abc import Sequence

WIDTH = 110


def laid(line: str) -> list[str]:
    """The lines of a statement that stands on one: itself where it fits.

    >>> laid(f"value = {'first_function(argument)'}{' + first_function(argument)' * 4}")[::3]
    ['value = (', ')']
    """
    if '"' not in line:
        line = line.replace("'", '"')
    if len(line) <= WIDTH:
        return [line]
    indent = " " * (len(line) - len(line.lstrip()))
    text = line.strip()
    if text.endswith(":"):
        return _definition(text, indent) if text.startswith("def ") else [line]
    statement = ast.parse(
        text if not text.startswith("return") else f"_ = {text.removeprefix('return')}"
    ).body[0]
    if not isinstance(statement, ast.Assign):
        return [line]
    if text.startswith("return"):
        return _expression(statement.value, indent, "return ", "", False)
    (target,) = statement.targets
    lines = _expression(statement.value, indent, f"{text.partition(' = ')[0]} = ", "", False)
    if isinstance(target, ast.Tuple) and len(lines[0]) > WIDTH:
        names = [f"{indent}    {spelled(name)}," for name in target.elts]
        return [f"{indent}(", *names, *_expression(statement.value, indent, ") = ", "", False)]
    return lines


def _definition(text: str, indent: str) -> list[str]:
    function = ast.parse(f"{text} ...").body[0]
    assert isinstance(function, ast.FunctionDef)
    parts = [spelled(argument) for argument in function.args.args]
    if function.args.kwonlyargs:
        parts.append("*")
    for argument, default in zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True):
        parts.append(spelled(argument) + ("" if default is None else f" = {spelled(default)}"))
    return [f"{indent}def {function.name}(", *(f"{indent}    {part}," for part in parts), f"{indent}):"]


def _expression(node: ast.expr, indent: str, before: str, after: str, enclosed: bool) -> list[str]:
    """The lines of an expression; `enclosed` where brackets around it let it go on."""
    line = f"{indent}{before}{spelled(node)}{after}"
    if len(line) <= WIDTH:
        return [line]
    inner = f"{indent}    "
    if isinstance(node, ast.Call) and (node.args or node.keywords):
        parts: list[tuple[str, ast.expr]] = [("", argument) for argument in node.args]
        parts += [(f"{keyword.arg}=", keyword.value) for keyword in node.keywords]
        return _bracketed(f"{indent}{before}{spelled(node.func)}(", parts, f"{indent}){after}", inner)
    if isinstance(node, ast.Tuple):
        return _bracketed(
            f"{indent}{before}(", [("", part) for part in node.elts], f"{indent}){after}", inner
        )
    if isinstance(node, ast.BinOp | ast.IfExp):
        if not enclosed:
            return [f"{indent}{before}(", *_expression(node, inner, "", "", True), f"{indent}){after}"]
        if isinstance(node, ast.IfExp):
            return [
                *_expression(node.body, indent, before, "", True),
                *_expression(node.test, indent, "if ", "", True),
                *_expression(node.orelse, indent, "else ", after, True),
            ]
        left = _parenthesized(node.left, node, False)
        right = _parenthesized(node.right, node, True)
        return [
            *_term(left, node.left, indent, before, ""),
            *_term(right, node.right, indent, f"{_sign(node)} ", after),
        ]
    if isinstance(node, ast.ListComp):
        (loop,) = node.generators
        end = f"for {spelled(loop.target)} in {spelled(loop.iter)}"
        lines = _expression(node.elt, inner, "", "", True)
        return [f"{indent}{before}[", *lines, f"{inner}{end}", f"{indent}]{after}"]
    if isinstance(node, ast.Subscript):
        return _expression(node.value, indent, before, f"[{spelled(node.slice)}]{after}", enclosed)
    return [line]


def _term(brackets: bool, node: ast.expr, indent: str, before: str, after: str) -> list[str]:
    if not brackets:
        return _expression(node, indent, before, after, True)
    line = f"{indent}{before}({spelled(node)}){after}"
    if len(line) <= WIDTH:
        return [line]
    return [f"{indent}{before}(", *_expression(node, f"{indent}    ", "", "", True), f"{indent}){after}"]


def _parenthesized(part: ast.expr, whole: ast.BinOp, right: bool) -> bool:
    """True where the operand of an operator stands in parentheses."""
    alone = ast.Name("a")
    around = ast.BinOp(alone, whole.op, part) if right else ast.BinOp(part, whole.op, alone)
    return spelled(around) != f"a {_sign(whole)} {spelled(part)}" and spelled(around) != (
        f"{spelled(part)} {_sign(whole)} a"
    )


def _sign(node: ast.BinOp) -> str:
    return ast.unparse(ast.BinOp(ast.Name("a"), node.op, ast.Name("b"))).split()[1]


def _bracketed(head: str, parts: Sequence[tuple[str, ast.expr]], tail: str, inner: str) -> list[str]:
    lines = [head]
    for before, part in parts:
        lines += _expression(part, inner, before, ",", True)
    return [*lines, tail]


def spelled(node: ast.AST) -> str:
    """The text of an expression, on one line, with the quotes of formatters."""
    return ast.unparse(node).replace("'", '"')
