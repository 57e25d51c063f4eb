"""String literals as text, alike whichever version of Python prints them.

`ast.unparse` quotes f-strings in another way since Python 3.12, and astor reads them by a name of `ast` that
Python 3.14 no longer has. So a printer is given the text of a literal as if it were a variable's name.

>>> print(ast.unparse(with_f_strings(ast.parse("raise ValueError(f'{n!r:>5} of {{{x[0]}}}')").body[0])))
raise ValueError(f"{n!r:>5} of {{{x[0]}}}")
>>> print(ast.unparse(with_literals(ast.parse("t = 'a', 'say \\"b\\"'").body[0])))
t = ("a", 'say "b"')
"""

from __future__ import annotations

import ast
from copy import deepcopy

_QUOTES = ('"', "'", '"""', "'''")


def with_f_strings(node: ast.stmt) -> ast.stmt:
    """A copy of the statement in which the text of each f-string stands as a name."""
    text: ast.stmt = _FStrings().visit(deepcopy(node))
    return text


def with_literals(node: ast.stmt) -> ast.stmt:
    """The same of plain strings too, in double quotes where they hold none; docstrings stay as they are."""
    text: ast.stmt = _Literals().visit(deepcopy(node))
    return text


class _FStrings(ast.NodeTransformer):
    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.expr:
        """An f-string as a name."""
        return ast.copy_location(ast.Name(_f_string(node)), node)


class _Literals(_FStrings):
    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        """A docstring, or what a statement does."""
        if not isinstance(node.value, ast.Constant):
            node.value = self.visit(node.value)
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        """A plain string as a name; other constants as they are."""
        text = repr(node.value) if isinstance(node.value, str) else ""
        if not text.startswith("'") or '"' in text:
            return node
        return ast.copy_location(ast.Name(f'"{text[1:-1]}"'), node)


def _f_string(node: ast.JoinedStr) -> str:
    """An f-string in the first quotes that stand nowhere in it."""
    parts = _parts(node)
    quote = next((quote for quote in _QUOTES if all(quote not in part for part in parts)), _QUOTES[0])
    if len(quote) > 1 and parts[-1].endswith(quote[0]):
        parts[-1] = f"{parts[-1][:-1]}\\{quote[0]}"
    return f"f{quote}{''.join(parts)}{quote}"


def _parts(node: ast.JoinedStr) -> list[str]:
    """The text and the expressions in braces that follow each other in an f-string."""
    parts = []
    for value in node.values:
        match value:
            case ast.FormattedValue():
                conversion = f"!{chr(value.conversion)}" if value.conversion >= 0 else ""
                spec = value.format_spec
                format_ = f":{''.join(_parts(spec))}" if isinstance(spec, ast.JoinedStr) else ""
                expression = ast.unparse(_FStrings().visit(value.value))
                if isinstance(value.value, ast.Lambda):
                    expression = f"({expression})"
                space = " " if expression.startswith("{") else ""
                parts.append(f"{{{space}{expression}{conversion}{format_}}}")
            case ast.Constant():
                parts.append(_escaped(str(value.value)).replace("{", "{{").replace("}", "}}"))
    return parts or [""]


def _escaped(text: str) -> str:
    """The text as it stands in a literal, its quotes as they are."""
    return "".join(letter if letter in "'\"" else repr(letter)[1:-1] for letter in text)
