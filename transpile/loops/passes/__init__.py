"""Passes on programs of kernels, one per file, in the order in which they run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from ..statements import KernelProgram, Statement
from .copies import without_copies
from .separate import separated
from .shape_inference import for_shapes
from .unused import without_unused
from .writes_in_place import with_writes_in_place

Change = Callable[[Sequence[Statement]], tuple[Statement, ...]]
_CHANGES: dict[str, Change] = {
    "copies": without_copies,
    "writes_in_place": with_writes_in_place,
    "unused": without_unused,
    "separate": separated,
    "shape_inference": for_shapes,
}


def _changed(change: Change, program: KernelProgram) -> KernelProgram:
    """The program with its statements changed, and with those for shapes as they mostly are."""
    likely = None if program.likely is None else change(program.likely)
    return replace(program, body=change(program.body), likely=likely)


PASSES: dict[str, Callable[[KernelProgram], KernelProgram]] = {
    name: partial(_changed, change) for name, change in _CHANGES.items()
}
# A program as lowering makes it, and after each pass.
STAGES = ("kernel", *PASSES)


def optimized(program: KernelProgram, last: str = STAGES[-1]) -> KernelProgram:
    """The program after all passes up to the stage `last`."""
    for name in STAGES[1 : STAGES.index(last) + 1]:
        program = PASSES[name](program)
    return program
