"""Passes on programs of kernels, one transformation per file, in the order in which they run."""

from __future__ import annotations

from collections.abc import Callable

from ..ir import Program
from ..spec import check
from .dead_code import without_dead_code
from .fuse_pointwise import fuse_pointwise
from .fuse_rows import fuse_rows
from .schedule import schedule

PASSES: dict[str, Callable[[Program], Program]] = {
    "fuse_pointwise": fuse_pointwise,
    "fuse_rows": fuse_rows,
    "dead_code": without_dead_code,
    "schedule": schedule,
}


def optimized(program: Program, last: str = "schedule") -> Program:
    """The program after all passes up to the `last`."""
    made = check(program)
    for name, change in PASSES.items():
        made = check(change(made))
        if name == last:
            break
    return made
