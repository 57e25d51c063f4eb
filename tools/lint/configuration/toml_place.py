"""The place of a key or value in a TOML text, which the parser of the standard library doesn't give."""

from __future__ import annotations

import re

_HEADER = re.compile(r"\s*\[([^\[\]]+)\]\s*(#.*)?$")
_KEY = re.compile(r"""\s*(?P<key>(?:"[^"]*"|'[^']*'|[\w.-])+)\s*=""")


def place_of(text: str, table: str, key: str | None = None, value: str | None = None) -> tuple[int, int]:
    """Line and column, from 1, of a table, of one of its keys, or of a string among the key's value.

    What cannot be found stands where the next larger thing does, a table at (1, 1).

    >>> place_of('[a.b]\\nselect = ["X"]', "a.b", "select", "X")
    (2, 11)
    """
    found = (1, 1)
    inside = within = False
    for number, line in enumerate(text.splitlines(), start=1):
        header = _HEADER.match(line)
        if header:
            if within:
                return found
            inside = header[1].replace(" ", "") == table
            found = (number, line.index("[") + 1) if inside else found
            continue
        match = _KEY.match(line) if inside else None
        if match and key is not None:
            if within:
                return found
            within = match["key"].strip("\"'") == key
            found = (number, match.start("key") + 1) if within else found
        if within:
            if value is None:
                return found
            quoted = re.search(
                rf"""["']{re.escape(value)}["']""", line[match.end("key") :] if match else line
            )
            if quoted:
                return number, quoted.start() + 1 + (match.end("key") if match else 0)
    return found
