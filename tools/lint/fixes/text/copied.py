"""A copy among what is saved: ``t.clone()`` or ``t.detach()`` of a local value."""

from __future__ import annotations

import ast
import re

from .saved_call import Saving, Taking
from .splices import Text

_COPY = re.compile(r"(\w+)(?:\.(?:clone|detach)\(\))+")


def is_copy(written: str) -> bool:
    """True if an expression copies a local value, and does nothing else."""
    return _COPY.fullmatch(written) is not None


def copied(
    written: str, saver: ast.FunctionDef, saving: Saving, taking: Taking, text: Text
) -> tuple[str, str] | None:
    """The name of the value, and that of the copy in the backward.

    None for another expression, and for what is returned: that is saved for its class to differentiate.
    """
    found = _COPY.fullmatch(written)
    arguments = [text.of(argument) for argument in saving.call.args]
    if found is None or saving.others or taking.unpacked is None or arguments.count(written) != 1:
        return None
    name, local = found[1], taking.local(arguments.index(written))
    returned = {n for node in ast.walk(saver) if isinstance(node, ast.Return) for n in _whole(node.value)}
    return None if local is None or name in returned | {*saving.names} else (name, local)


def _whole(returned: ast.expr | None) -> set[str]:
    """The names whose values are returned themselves."""
    parts = returned.elts if isinstance(returned, ast.Tuple | ast.List) else [returned]
    return {part.id for part in parts if isinstance(part, ast.Name)}
