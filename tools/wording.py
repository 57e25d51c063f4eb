"""Lists of names as a sentence says them."""

from __future__ import annotations

from collections.abc import Sequence


def listed(names: Sequence[str], most: int | None = None) -> str:
    """Names in a row; of more than `most` only the first ones.

    >>> listed(["a"]), listed(["a", "b", "c"]), listed(["a", "b", "c"], most=2)
    ('`a`', '`a`, `b` and `c`', '`a`, `b` and others')
    """
    shown = [f"`{name}`" for name in names[:most]]
    last = shown.pop() if len(shown) == len(names) else "others"
    return f"{', '.join(shown)} and {last}" if shown else last
