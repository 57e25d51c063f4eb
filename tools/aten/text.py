"""The text of an imported formula, in the lines of a formatter."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Sequence

from pullback.transpile.emit.python_text import function_text

from .laying import WIDTH, laid
from .writer import Written


def text_of(written: Written) -> str:
    """The definitions of a formula, with the schema of its operator for a docstring."""
    texts = []
    for function in written.functions:
        function.body = [part for statement in function.body for part in _spread(statement, 1)]
        lines = function_text(ast.fix_missing_locations(function), None).rstrip().split("\n")
        lines = [part for line in lines for part in laid(line)]
        last = function is written.functions[-1]
        head = next(k for k, line in enumerate(lines) if line.endswith(":") and not line.startswith("@"))
        lines[head + 1 : head + 1] = (
            _docstring(written.schema, written.notes.lines())
            if last
            else _docstring(f"Forward mode of {written.name}.", ())
        )
        texts.append("\n".join(lines) + "\n")
    return "\n\n".join(texts)


def _docstring(schema: str, notes: Sequence[str]) -> list[str]:
    if len(schema) <= WIDTH - 10 and not notes:
        return [f'    """{schema}"""']
    lines = textwrap.wrap(schema, WIDTH - 8, initial_indent='    """', subsequent_indent="    ")
    return [*lines, *(["", *(f"    {note}" for note in notes)] if notes else []), '    """']


def _spread(statement: ast.stmt, depth: int) -> list[ast.stmt]:
    """A statement, as branches where its conditional expression is too long for a line."""
    if isinstance(statement, ast.FunctionDef):
        statement.body = [part for inner in statement.body for part in _spread(inner, depth + 1)]
        return [statement]
    if not isinstance(statement, ast.Return | ast.Assign):
        return [statement]
    value = statement.value
    if (
        not isinstance(value, ast.IfExp)
        or len(ast.unparse(ast.fix_missing_locations(statement))) + 4 * depth <= WIDTH
    ):
        return [statement]
    first, second = (_with_value(statement, branch, depth + 1) for branch in (value.body, value.orelse))
    if isinstance(statement, ast.Return):
        return [ast.If(value.test, first, []), *_with_value(statement, value.orelse, depth)]
    return [ast.If(value.test, first, second)]


def _with_value(statement: ast.Return | ast.Assign, value: ast.expr, depth: int) -> list[ast.stmt]:
    made = ast.Return(value) if isinstance(statement, ast.Return) else ast.Assign(statement.targets, value)
    return _spread(made, depth)
