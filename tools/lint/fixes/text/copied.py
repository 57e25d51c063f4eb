"""A copy among what is saved: ``t.clone()`` or ``t.detach()`` of a local value."""

from __future__ import annotations

import ast
import re

from .saved_call import Saving
from .splices import Text
from .taking import Taking

_COPY = re.compile(r"(\w+)(?:\.(?:clone|detach)\(\))+")


def is_copy(written: str) -> bool:
    """True if an expression copies a local value, and does nothing else."""
    return _COPY.fullmatch(written) is not None


def copied(
    written: str, saver: ast.FunctionDef, saving: Saving, taking: Taking, text: Text
) -> tuple[str, str] | None:
    """The name of the value, and that of the copy in the backward.

    None for another expression.
    """
    found = _COPY.fullmatch(written)
    arguments = [text.of(argument) for argument in saving.call.args]
    several = saving.others or taking.others or arguments.count(written) != 1
    if found is None or several or taking.unpacked is None:
        return None
    name, local = found[1], taking.local(arguments.index(written))
    return None if local is None or name in saving.names else (name, local)
