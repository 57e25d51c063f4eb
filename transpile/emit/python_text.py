"""Functions as text; where a source is given, the author's line above each statement.

astor prints them, but for f-strings, whose text `string_literals` makes.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..ir import Source
from .layout import statement_text
from .string_literals import with_f_strings

with warnings.catch_warnings():
    # astor 0.8.1 reads names of `ast` that are deprecated; it does nothing else with them.
    warnings.simplefilter("ignore", DeprecationWarning)
    import astor

FILE = "author_file"  # the attribute of a statement that says in which file its line stands


def function_text(function: ast.FunctionDef, source: Source | None, width: int = 0) -> str:
    """A function as text; with a source, the line that each statement came from is above it.

    `width`: the columns that lines are broken to, as formatters break them.
    """
    printer = _Printer(source, function.lineno, width)
    printer.body([function], 0)
    text = "\n".join(printer.lines) + "\n"
    ast.parse(text)
    return text


class _Printer:
    """Prints statements line by line: astor alone would leave no room for comments."""

    def __init__(self, source: Source | None, line: int, width: int) -> None:
        self.lines: list[str] = []
        self._source = source
        self._width = width
        self._line = line  # of the author's that was shown last

    def body(self, statements: Sequence[ast.stmt], depth: int) -> None:
        """Print statements at a depth of indentation."""
        for statement in statements:
            self._comment(statement, depth)
            match statement:
                case ast.FunctionDef():
                    self._function(statement, depth)
                case ast.For():
                    self._add(f"for {_expression(statement.target)} in {_expression(statement.iter)}:", depth)
                    self.body(statement.body, depth + 1)
                case ast.If():
                    self._branches(statement, depth)
                case _:
                    self._simple(statement, depth)

    def _add(self, text: str, depth: int) -> None:
        self.lines += ["    " * depth + line for line in text.split("\n")]

    def _comment(self, statement: ast.stmt, depth: int) -> None:
        """The author's line, where it is another one than that of the statement before."""
        line = getattr(statement, "lineno", 0)
        if self._source is None or line in (0, self._line) or isinstance(statement, ast.Return):
            return
        if vars(statement).get(FILE, self._source.path) != self._source.path:  # of a function of another file
            return
        text = self._source.line(line).strip()
        if text:  # the source of a function alone has no lines of others
            self._line = line
            self._add(f"# {Path(self._source.path).name}:{line}  {text}", depth)

    def _function(self, function: ast.FunctionDef, depth: int) -> None:
        around = [""] if depth else []
        self.lines += around
        for decorator in function.decorator_list:
            self._add(f"@{_expression(decorator)}", depth)
        self._add(f"def {function.name}({_parameters(function.args)}):", depth)
        self.body(function.body, depth + 1)
        self.lines += around

    def _branches(self, statement: ast.If, depth: int, keyword: str = "if") -> None:
        self._add(f"{keyword} {_expression(statement.test)}:", depth)
        self.body(statement.body, depth + 1)
        only = statement.orelse[0] if len(statement.orelse) == 1 else None
        if self._source is None and isinstance(only, ast.If):
            self._branches(only, depth, "elif")
        elif statement.orelse:
            self._add("else:", depth)
            self.body(statement.orelse, depth + 1)

    def _simple(self, statement: ast.stmt, depth: int) -> None:
        if self._width:
            self._add(statement_text(statement, self._width - 4 * depth), depth)
            return
        # With no comments between them, lines are as long as whoever made the statements wants.
        wrap: dict[str, Any] = {} if self._source is not None else {"pretty_source": "".join}
        match statement:
            case ast.Return(ast.Tuple([value])):
                self._add(f"return ({_expression(value)},)", depth)
            case _:
                self._add(_printed(statement, add_line_information=False, **wrap).rstrip("\n"), depth)


def _parameters(given: ast.arguments) -> str:
    """The parameters of a function, those by keyword behind a star."""
    plain: list[ast.expr | None] = [None] * (len(given.args) - len(given.defaults))
    shown = list(map(_parameter, given.args, [*plain, *given.defaults]))
    if given.vararg is not None or given.kwonlyargs:
        shown.append("*" if given.vararg is None else f"*{given.vararg.arg}")
    shown += map(_parameter, given.kwonlyargs, given.kw_defaults)
    shown += [f"**{given.kwarg.arg}"] if given.kwarg is not None else []
    return ", ".join(shown)


def _parameter(arg: ast.arg, default: ast.expr | None) -> str:
    name = arg.arg if arg.annotation is None else f"{arg.arg}: {ast.unparse(arg.annotation)}"
    if default is None:
        return name
    return f"{name}{'=' if arg.annotation is None else ' = '}{ast.unparse(default)}"


def _printed(node: ast.stmt, **wishes: Any) -> str:
    """The text of a statement; `wishes` are astor's."""
    text: str = astor.to_source(with_f_strings(node), **wishes)
    return text


def _expression(expr: ast.expr) -> str:
    text = _printed(ast.Expr(expr)).strip()
    return text[1:-1] if text.startswith("(") and text.endswith(")") and _is_one_group(text) else text


def _is_one_group(text: str) -> bool:
    """True where the first parenthesis is closed by the last one."""
    depth = 0
    for index, char in enumerate(text):
        depth += {"(": 1, ")": -1}.get(char, 0)
        if depth == 0:
            return index == len(text) - 1
    return False
