"""Python source in colour, line by line, for the pages."""

from __future__ import annotations

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer


def highlighted(text: str) -> list[str]:
    """Each line as HTML; the formatter closes what is open at the end of a line."""
    lexer = PythonLexer(stripnl=False, ensurenl=False)
    html: str = highlight(text.replace("\f", " "), lexer, HtmlFormatter(nowrap=True))
    return html.rstrip("\n").split("\n")
