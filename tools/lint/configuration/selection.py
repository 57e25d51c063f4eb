"""Selection of codes: the longest prefix that names a code decides, as in ruff."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from pullback.transpile.codes import CODES


def is_on(code: str, select: Iterable[str], ignore: Iterable[str]) -> bool:
    """True if a finding of this code counts. Of equally long prefixes, `ignore` wins.

    >>> is_on("PB101", ["ALL"], ["PB1"])
    False
    >>> is_on("PB101", ["PB101"], ["PB1"])
    True
    """
    chosen = max((_length(code, prefix) for prefix in select), default=-1)
    left_out = max((_length(code, prefix) for prefix in ignore), default=-1)
    return chosen > left_out


def _length(code: str, prefix: str) -> int:
    if prefix == "ALL":
        return 0
    return len(prefix) if code.startswith(prefix) else -1


def wrong_prefix(prefix: str) -> str | None:
    """The error in a code or prefix; None where some rule has it."""
    if prefix == "ALL" or (prefix.startswith("PB") and any(code.startswith(prefix) for code in CODES)):
        return None
    close = get_close_matches(prefix.upper(), ["ALL", "PB", *CODES], n=1)
    guess = f"; did you mean {close[0]}?" if close else ""
    return f"no rule has the code or prefix {prefix!r}{guess} (`pullback rule` lists them)"
