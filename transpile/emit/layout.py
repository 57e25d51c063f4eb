"""Statements as text of at most so many columns, laid out as formatters of Python do it.

>>> long = ast.parse("total = first_function(alpha, beta) + second_function(gamma, [delta, 'e'])").body[0]
>>> print(statement_text(long, 40))
total = first_function(
    alpha, beta
) + second_function(gamma, [delta, "e"])
>>> print(statement_text(ast.parse("pairs = [f(a, b) for a, b in zip(first, second) if a]").body[0], 40))
pairs = [
    f(a, b)
    for a, b in zip(first, second)
    if a
]
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

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
    quoted = False  # a docstring of several lines, which stays as it is
    for line in text.split("\n"):
        begins_or_ends = line.count('"""') == 1
        lines += [line] if quoted or begins_or_ends else _fitted(line, width)
        quoted ^= begins_or_ends
    laid_out = "\n".join(lines)
    return laid_out if laid_out == text or _is_the_same(laid_out, text) else text


def _is_the_same(laid_out: str, text: str) -> bool:
    """True where a text that was broken into lines is still the same Python."""
    try:
        return ast.dump(ast.parse(laid_out)) == ast.dump(ast.parse(text))
    except SyntaxError:
        return False


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
    clauses = _clauses(body)
    if len(clauses) > 1:
        return [piece for clause in clauses for piece in _fitted(f"{' ' * indent}{clause}", width)]
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
    """The parts between commas outside of brackets, but for those between the parameters of a lambda."""
    items, start, parameters = [], 0, False
    for place, letter in _at_the_top(body):
        if body.startswith("lambda ", place):
            parameters = True
        elif letter == ":":
            parameters = False
        elif letter == "," and not parameters:
            items.append(body[start:place].strip())
            start = place + 1
    rest = body[start:].strip()
    return [*items, rest] if rest else items


def _clauses(body: str) -> list[str]:
    """The element of a comprehension, and each ``for`` and ``if`` of it; all of what is none."""
    starts = [0]
    for place, _ in _at_the_top(body):
        if body.startswith(" for ", place) or (len(starts) > 1 and body.startswith(" if ", place)):
            starts.append(place)
    return [body[start:end].strip() for start, end in zip(starts, [*starts[1:], len(body)], strict=True)]


def _at_the_top(body: str) -> Iterator[tuple[int, str]]:
    """The letters that are in no bracket and no string, with their places."""
    depth = 0
    for place, letter in _outside_strings(body):
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(letter, 0)
        if depth == 0:
            yield place, letter


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
