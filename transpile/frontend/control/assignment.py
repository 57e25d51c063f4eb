"""Assignment of values to names, to tuples of names and to parts of arrays."""

from __future__ import annotations

import ast

from ..state.mutation import check_store
from ..state.values import Frame, Value
from ..syntax.fence import refuse
from .temporaries import in_order
from .unpacking import unpack
from .writes import write_part


def bind_target(frame: Frame, target: ast.expr, value: Value) -> None:
    """Assign a value to a name, or its parts to a tuple of names."""
    if isinstance(target, ast.Name):
        frame.bind(target.id, value, target)
        return
    if isinstance(target, ast.Subscript):
        write_part(frame, target, value, target)
        return
    if not isinstance(target, ast.Tuple | ast.List):
        check_store(frame, target)
        raise refuse("PB401", "this cannot be assigned to in a formula", frame.span(target))
    count = len(target.elts)
    if any(isinstance(item, ast.Starred) for item in target.elts):
        hint = "take the rest as a slice: `first, rest = x[0], x[1:]`"
        problem = "unpacking with `*` is outside of the formula language"
        raise refuse("PB401", problem, frame.span(target), hint=hint)
    names = target_names(target) or (None,) * count
    parts = in_order(frame, unpack(frame, value, names, target), target.elts)
    for item, part in zip(target.elts, parts, strict=True):
        bind_target(frame, item, part)


def target_names(target: ast.expr) -> tuple[str, ...]:
    """The names of a tuple of names; none where one of its parts is something else."""
    if not isinstance(target, ast.Tuple | ast.List):
        return ()
    names = tuple(item.id for item in target.elts if isinstance(item, ast.Name))
    return names if len(names) == len(target.elts) else ()
