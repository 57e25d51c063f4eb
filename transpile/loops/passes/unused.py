"""Declarations that nobody names left out.

In: the statements of a block. Out: the same without what only names a number, a shape or memory that no
other statement reads. Outputs stay, for the caller waits for them.

>>> from ..expressions import ask, rank
>>> from ..statements import Do, Let
>>> x, n, unread = (Let("x", ask("input", 0, of="T")), Let("n", rank("x")), Let("m", rank("n")))
>>> [let.name for let in without_unused([x, n, unread, Do(ask("tell", 0, "n"))])[:-1]]
['x', 'n']
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ..runtime import is_output
from ..statements import Let, Statement, names_read


def without_unused(statements: Sequence[Statement]) -> tuple[Statement, ...]:
    """The statements without declarations that no other one names."""
    read = [names_read(statement) for statement in statements]
    count = Counter(name for names in read for name in names)
    kept = list(range(len(statements)))
    while True:
        unused = {k for k in kept if _is_unused(statements[k], count)}
        if not unused:
            return tuple(statements[k] for k in kept)
        for k in unused:
            count.subtract(read[k])
        kept = [k for k in kept if k not in unused]


def _is_unused(statement: Statement, count: Counter[str]) -> bool:
    return isinstance(statement, Let) and not count[statement.name] and not is_output(statement.value)
