"""Declarations that nobody names left out.

In: statements. Out: the same without what only names a number, a shape or memory that no other statement of
its block reads, in blocks of blocks too. Outputs stay, for the caller waits for them,
and inputs are asked for without a name: that checks their dtypes, which what follows may rest on alone.

>>> from ..expressions import ask, rank
>>> from ..statements import Do, Let
>>> x, n, unread = (Let("x", ask("input", 0, of="T")), Let("n", rank("x")), Let("m", rank("n")))
>>> [let.name for let in without_unused([x, n, unread, Do(ask("output_value", 0, "n"))])[:-1]]
['x', 'n']
>>> without_unused([x]) == (Do(x.value),)
True
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from ..expressions import Ask
from ..runtime import is_output
from ..statements import Do, Launch, Let, Statement, names_read, with_inner


def without_unused(block: Sequence[Statement]) -> tuple[Statement, ...]:
    """The statements without declarations that no other one names, those in them first."""
    statements = [_inner(statement) for statement in block]
    read = [names_read(statement) for statement in statements]
    count = Counter(name for names in read for name in names)
    used = list(range(len(statements)))
    while True:
        unused = {k for k in used if _is_unused(statements[k], count)}
        if not unused:
            return tuple(statements[k] for k in used)
        for k in unused:
            count.subtract(read[k])
            if (check := _check(statements[k])) is not None:
                statements[k] = check
        used = [k for k in used if k not in unused or isinstance(statements[k], Do)]


def _inner(statement: Statement) -> Statement:
    """A statement whose blocks have nothing unused."""
    if isinstance(statement, Launch):
        return replace(statement, otherwise=without_unused(statement.otherwise))
    return with_inner(statement, without_unused)


def _check(unused: Statement) -> Do | None:
    """The rest of a declaration that asks for an array of a certain dtype, or for its shape."""
    asked = unused.value if isinstance(unused, Let) else None
    return Do(asked) if isinstance(asked, Ask) and asked.method in ("input", "like") else None


def _is_unused(statement: Statement, count: Counter[str]) -> bool:
    return isinstance(statement, Let) and not count[statement.name] and not is_output(statement.value)
