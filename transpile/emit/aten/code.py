"""Pieces of C++ with the names that they read, so that nobody has to search text for them.

>>> made = write("at::add({}, {})", "x", write("scalar({}, {})", "2", "x"))
>>> made.text, sorted(made.names)
('at::add(x, scalar(2, x))', ['at', 'at::add', 'scalar', 'x'])
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple, Protocol

from ..cpp.lines import LINE_WIDTH

# A name with the namespaces that it is in; not a member, what is quoted, or what a comment says.
_NAME = re.compile(r"//[^\n]*|/\*.*?\*/|\"[^\"\n]*\"|(?:\.|->)\w+|((?:[A-Za-z_]\w*::)*[A-Za-z_]\w*)")


class Piece(Protocol):
    """Text of C++ and the names in it."""

    @property
    def text(self) -> str: ...

    @property
    def names(self) -> frozenset[str]: ...


class Code(NamedTuple):
    """A piece of C++: an operand, or a line; the names that it reads stand with it."""

    text: str
    names: frozenset[str] = frozenset()


@cache
def names_of(written: str) -> frozenset[str]:
    """The names in C++ that stands in a table or a template of the emitter, and the spaces they are in.

    >>> sorted(names_of('std::get<0>(at::sort({a}, /*stable=*/true)).sum("c10::x")'))
    ['a', 'at', 'at::sort', 'std', 'std::get', 'true']
    """
    found = {name for name in _NAME.findall(written) if name}
    return frozenset(found | {name.partition("::")[0] for name in found})


def write(template: str, *pieces: Piece | str) -> Code:
    """The template with pieces in the place of ``{}``; a string is a name, a number or a type."""
    names = names_of(template).union(*(map(_names, pieces)))
    return Code(template.format(*(one if isinstance(one, str) else one.text for one in pieces)), names)


def in_row(pieces: Iterable[Piece | str]) -> Code:
    """Pieces with commas between them."""
    given = list(pieces)
    return write(", ".join(["{}"] * len(given)), *given)


def _names(piece: Piece | str) -> frozenset[str]:
    return names_of(piece) if isinstance(piece, str) else piece.names


def indented(lines: Sequence[Code]) -> list[Code]:
    """Lines one block further in."""
    return [Code(f"    {line.text}" if line.text else "", line.names) for line in lines]


def defined(type: str, name: str, value: Piece | str) -> list[Code]:
    """``const type name = value;``."""
    return statement("const {} {} = {};", type, name, value)


def nested(head: str, condition: Piece | str, body: Sequence[Code], other: Sequence[Code] = ()) -> list[Code]:
    """``if (condition) {``, with what else is done, or another head."""
    behind = [Code("} else {"), *indented(other)] if other else []
    return [*fitted(write(f"{head} ({{}}) {{{{", condition)), *indented(body), *behind, Code("}")]


def text_of(lines: Iterable[Code]) -> str:
    """Lines as text."""
    return "\n".join(line.text for line in lines)


def names_in(pieces: Iterable[Piece]) -> frozenset[str]:
    """All names that pieces read."""
    return frozenset[str]().union(*(one.names for one in pieces))


def statement(template: str, *pieces: Piece | str) -> list[Code]:
    """A statement, on as many lines as it takes."""
    return fitted(write(template, *pieces))


def fitted(line: Piece, room: int = LINE_WIDTH - 16, indent: int = 4) -> list[Code]:
    """A statement on lines of at most so many columns, broken at its outermost commas and operators.

    >>> wide = write("const at::Tensor total = first_function(alpha) + second_function(beta);")
    >>> [line.text for line in fitted(wide, 52)]
    ['const at::Tensor total =', '    first_function(alpha) + second_function(beta);']
    """
    first, *others = _broken(line.text, room, indent)
    return [Code(first, line.names), *map(Code, others)]


def _broken(line: str, room: int, indent: int) -> list[str]:
    if len(line) <= room:
        return [line]
    places: list[tuple[int, int]] = []
    depth, quoted = 0, False
    for k, letter in enumerate(line):
        quoted ^= letter == '"' and line[k - 1] != "\\"
        if quoted:
            continue
        if letter == " " and 8 < k < room and (line[k - 1] == "," or (line[k - 2] == " " != line[k - 1])):
            places.append((depth, k))
        # What belongs to a template has no space before it.
        bracket = letter in "([{" or (letter == "<" and line[k - 1] != " ")
        closing = letter in ")]}" or (letter == ">" and line[k - 1] not in " -")
        depth += bracket - closing
    assigned = line.find(" = ") + 2
    if 2 <= assigned < room and len(line) - assigned + indent <= room:
        place = assigned
    else:
        wide = [found for found in places if found[1] > room // 3] or places
        if not wide:
            return [line]
        least = min(depth for depth, _ in wide)
        place = max(k for depth, k in wide if depth == least)
    rest = _broken(line[place + 1 :], room - indent, 4 if line[place + 1 :].find("(") >= 0 else 0)
    return [line[:place], *(f"{' ' * indent}{text}" for text in rest)]
