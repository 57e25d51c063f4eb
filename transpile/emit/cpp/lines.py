"""Lines of at most a hundred characters, broken as clang-format would break them."""

from __future__ import annotations

from collections.abc import Sequence

LINE_WIDTH = 100


def wrap(name: str, callee: str, arguments: Sequence[str], tail: str, depth: int) -> list[str]:
    """A call on one line where it fits, else broken between arguments.

    `name` is what its value is assigned to, or empty; `depth` says how many blocks it stands in.

    >>> wrap("int64_t n", "pb::extent(", ["context", "shape", "0"], ");", 2)
    ['int64_t n = pb::extent(context, shape, 0);']
    """
    room = LINE_WIDTH - 4 * depth
    head = f"{name} = {callee}" if name else callee
    text = head + ", ".join(arguments) + tail
    if len(text) <= room:
        return [text]
    words = [argument + "," for argument in arguments[:-1]] + [(arguments or [""])[-1] + tail]
    ways = [_fill(head, words, room)]
    if name:
        ways.append([f"{name} =", *_fill(f"    {callee}", words, room)])
    ways.append([head, *_fill("    ", words, room)])
    if name:
        ways[:2] = ways[1::-1]
    fitting = [way for way in ways if all(len(line) <= room for line in way)]
    return min(fitting or ways, key=len)


def assignment(name: str, words: Sequence[str], depth: int) -> list[str]:
    """An assignment, broken after its `=` or between words where it is too long."""
    room = LINE_WIDTH - 4 * depth
    text = " ".join(words)
    if len(name) + len(text) + 4 <= room:
        return [f"{name} = {text};"]
    if len(text) + 5 <= room:
        return [f"{name} =", f"    {text};"]
    return _fill(f"{name} = ", [*words[:-1], f"{words[-1]};"], room)


def indented(lines: Sequence[str]) -> list[str]:
    """Lines one block further in."""
    return [f"    {line}" if line else "" for line in lines]


def _fill(head: str, words: Sequence[str], room: int) -> list[str]:
    lines, line, empty = [], head, True
    for word in words:
        if not empty and len(line) + len(word) > room:
            lines.append(line.rstrip())
            line = " " * len(head)
        line += word + " "
        empty = False
    return [*lines, line.rstrip()]
