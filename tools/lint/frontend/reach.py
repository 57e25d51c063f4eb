"""The part of a file that a class depends on, as a key: equal keys in two versions mean equal findings.

In: a module. Out: for each of its classes the statements at the top level that it leads to by name, with
their lines, and what the other names in them stand for. Comments are part of a statement below them.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Hashable
from functools import cache
from unicodedata import normalize

from .classes import FunctionClass
from .modules import Dotted, TorchModule, first_line

_WORD = re.compile(r"[^\W\d]\w*")
Binding = tuple[str, Hashable]


class Reach:
    """The dependences among the statements of a module. `lines`: they count, too; else the text alone."""

    def __init__(self, module: TorchModule, lines: bool) -> None:
        self._module, self._lines = module, lines
        self._starts = [first_line(statement) for statement in module.tree.body]
        self._links = cache(self._links_of)

    def of(self, cls: FunctionClass) -> Hashable:
        """The key of a class."""
        node = cls.own.node
        waiting = [self._statement(node.lineno)]
        seen = set(waiting)
        start = 0 if self._lines else self._starts[waiting[0]]
        found: set[Hashable] = {(node.lineno - start, node.col_offset), *self._module.stars}
        while waiting:
            text, bindings, statements = self._links(waiting.pop())
            found |= {text, *bindings}
            waiting += statements - seen
            seen |= statements
        return frozenset(found)

    def _statement(self, line: int) -> int:
        """The number of the statement at the top level that a line belongs to."""
        return max(bisect_right(self._starts, line) - 1, 0)

    def _links_of(self, number: int) -> tuple[tuple[int, str], frozenset[Binding], frozenset[int]]:
        """A statement's line and text, what the names in it stand for, and the statements that bind them."""
        first, text = self._text(number)
        bindings, statements = set[Binding](), set[int]()
        for name in set(_WORD.findall(text if text.isascii() else normalize("NFKC", text))):
            entity = self._module.names.get(name)
            if isinstance(entity, Dotted):
                bindings.add((name, entity.name))
            elif entity is not None:
                line = (
                    entity.node.lineno if self._lines else self._text(self._statement(entity.node.lineno))[1]
                )
                bindings.add((name, (line, entity.node.col_offset)))
                statements.add(self._statement(entity.node.lineno))
        return (first if self._lines else 0, text), frozenset(bindings), frozenset(statements)

    def _text(self, number: int) -> tuple[int, str]:
        """The first line of a statement with what stands above it, from the last line of the one before."""
        body = self._module.tree.body
        first = min(body[number - 1].end_lineno or 1, self._starts[number]) if number else 1
        return first, "\n".join(self._module.lines[first - 1 : body[number].end_lineno])
