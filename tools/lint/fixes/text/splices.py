"""Changes of a text by splices: what is not replaced stays as it is, to the byte."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import NamedTuple


class CannotFix(Exception):
    """The text is not of a form that this fix can change; the message says why."""


class Splice(NamedTuple):
    """A stretch of the text and what stands in its place."""

    start: int
    end: int
    text: str


@dataclass
class Text:
    """A text, and the splices to be made in it.

    >>> text = Text("x = f(a)\\n")
    >>> text.replace(ast.parse(text.text).body[0].value.args[0], "b")
    >>> text.spliced()
    'x = f(b)\\n'
    """

    text: str
    splices: list[Splice] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._lines = [f"{line}\n" for line in self.text.split("\n")]  # as Python counts lines
        self._lines[-1] = self._lines[-1][:-1]
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line))

    def offset(self, line: int, column: int) -> int:
        """The offset in the text of a line and a column of bytes, as `ast` counts them."""
        before = self._lines[line - 1].encode()[:column] if line <= len(self._lines) else b""
        return self._starts[line - 1] + len(before.decode("utf-8", "replace"))

    def start(self, node: ast.stmt | ast.expr) -> int:
        """The offset of a node's beginning."""
        return self.offset(node.lineno, node.col_offset)

    def end(self, node: ast.stmt | ast.expr) -> int:
        """The offset of a node's end."""
        return self.offset(node.end_lineno or node.lineno, node.end_col_offset or node.col_offset)

    def of(self, node: ast.stmt | ast.expr) -> str:
        """The text of a node."""
        return self.text[self.start(node) : self.end(node)]

    def indent(self, node: ast.stmt) -> str:
        """The blanks before a statement, which has its lines for itself; `CannotFix` where it has not."""
        first = node.lineno
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.decorator_list:
            first = node.decorator_list[0].lineno
        line = self._lines[first - 1]
        blank = line[: len(line) - len(line.lstrip())]
        own = node if first == node.lineno else None
        if own is not None and self.start(own) != self._starts[first - 1] + len(blank):
            raise CannotFix("several statements stand in one line")
        after = self.text[self.end(node) : self._starts[node.end_lineno or node.lineno]].strip()
        if after and not after.startswith("#"):
            raise CannotFix("several statements stand in one line")
        return blank

    def lines_of(self, node: ast.stmt) -> list[str]:
        """The lines of a statement as they are, without its indentation."""
        depth = len(self.indent(node))
        first, *rest = self.of(node).split("\n")
        return [first, *(line[depth:] if not line[:depth].strip() else line for line in rest)]

    def replace(self, node: ast.stmt | ast.expr, text: str) -> None:
        """Put a text in the place of a node."""
        self.splices.append(Splice(self.start(node), self.end(node), text))

    def insert(self, place: int, text: str) -> None:
        """Put a text at an offset."""
        self.splices.append(Splice(place, place, text))

    def after(self, node: ast.stmt, lines: list[str]) -> None:
        """Put lines after a statement, indented as it is."""
        place = self._starts[node.end_lineno or node.lineno]
        head = "" if self.text[:place].endswith("\n") else "\n"
        self.insert(place, head + _indented(lines, self.indent(node)))

    def before(self, node: ast.stmt, lines: list[str]) -> None:
        """Put lines before a statement, below the comments that stand above it, indented as it is."""
        blank = self.indent(node)
        first = node.lineno
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.decorator_list:
            first = node.decorator_list[0].lineno
        self.insert(self._starts[first - 1], _indented(lines, blank))

    def remove(self, node: ast.stmt) -> None:
        """Take a statement out, with its lines."""
        self.indent(node)
        start, end = self._starts[node.lineno - 1], self._starts[node.end_lineno or node.lineno]
        self.splices.append(Splice(start, end, ""))

    def spliced(self) -> str:
        """The text with all splices made; `CannotFix` where two meet."""
        pieces, at = [], 0
        for splice in sorted(self.splices, key=lambda s: (s.start, s.end)):
            if splice.start < at:
                raise CannotFix("two changes would meet")
            pieces += [self.text[at : splice.start], splice.text]
            at = splice.end
        return "".join([*pieces, self.text[at:]])


def _indented(lines: list[str], blank: str) -> str:
    return "".join(f"{blank}{line}\n" if line else "\n" for line in lines)
