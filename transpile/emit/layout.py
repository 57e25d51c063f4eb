"""Statements as text of at most so many columns, laid out as formatters of Python do it.

>>> long = ast.parse("total = first_function(alpha, beta) + second_function(gamma, [delta, 'e'])").body[0]
>>> print(statement_text(long, 40))
total = first_function(
    alpha, beta
) + second_function(gamma, [delta, "e"])
"""

from __future__ import annotations

import ast

from .string_literals import with_literals


def statement_text(node: ast.stmt, width: int) -> str:
    """The statement as text; a line is longer than `width` only where nothing in it can be broken."""
    for part in ast.walk(node):
        if "lineno" in part._attributes and not hasattr(part, "lineno"):
            part.lineno = 0  # type: ignore[attr-defined]
    text = ast.unparse(with_literals(node))
    value = node.value if isinstance(node, ast.Return) else None
    if isinstance(value, ast.Tuple) and len(value.elts) > 1:
        short = f"return {text.removeprefix('return (')[:-1]}"
        text = short if len(short) <= width else text
    target = node.targets[0] if isinstance(node, ast.Assign) else None
    if isinstance(target, ast.Tuple) and len(target.elts) == 1:
        name, _, rest = text.partition(", = ")
        text = f"({name},) = {rest}"
    lines: list[str] = []
    for line in text.split("\n"):
        lines += _fitted(line, width)
    return "\n".join(lines)


def _fitted(line: str, width: int) -> list[str]:
    """A line, broken inside of its last bracket that helps, or in brackets of its own."""
    if len(line) <= width or line.lstrip().startswith(("#", '"""')):
        return [line]
    indent = len(line) - len(line.lstrip())
    groups = [group for group in _groups(line) if group[1] - group[0] > 1]
    for start, end in reversed(groups):
        head, body, tail = line[: start + 1], line[start + 1 : end], " " * indent + line[end:]
        if len(head) > width or len(tail) > width:
            continue
        return [head, *_body(body, indent + 4, width), tail]
    return [line]


def _body(body: str, indent: int, width: int) -> list[str]:
    """The text inside of brackets: in one line where it fits, else an item in each."""
    line = " " * indent + body
    if len(line) <= width:
        return [line]
    items = _items(body)
    if len(items) == 1:
        return _fitted(line, width)
    return [piece for item in items for piece in _fitted(f"{' ' * indent}{item},", width)]


def _groups(line: str) -> list[tuple[int, int]]:
    """The outermost brackets of a line, by where they begin and end."""
    found: list[tuple[int, int]] = []
    depth = start = 0
    for place, letter in _outside_strings(line):
        if letter in "([{":
            start = place if depth == 0 else start
            depth += 1
        elif letter in ")]}":
            depth -= 1
            if depth == 0:
                found.append((start, place))
    return found


def _items(body: str) -> list[str]:
    """The parts between commas outside of brackets."""
    items, depth, start = [], 0, 0
    for place, letter in _outside_strings(body):
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            items.append(body[start:place].strip())
            start = place + 1
    rest = body[start:].strip()
    return [*items, rest] if rest else items


def _outside_strings(line: str) -> list[tuple[int, str]]:
    """The letters of a line that are in no string, with their places."""
    found, quote = [], ""
    for place, letter in enumerate(line):
        if quote:
            quote = "" if letter == quote and line[place - 1] != "\\" else quote
        elif letter in "\"'":
            quote = letter
        else:
            found.append((place, letter))
    return found
