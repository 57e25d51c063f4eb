"""Passes on programs of kernels, one per file, in the order in which they run."""

from __future__ import annotations

from collections.abc import Callable

from ..statements import KernelProgram
from .copies import without_copies
from .separate import separated
from .shape_inference import without_entries
from .unused import without_unused
from .writes_in_place import with_writes_in_place

PASSES: dict[str, Callable[[KernelProgram], KernelProgram]] = {
    "copies": without_copies,
    "writes_in_place": with_writes_in_place,
    "unused": without_unused,
    "separate": separated,
    "shape_inference": without_entries,
}
# A program as lowering makes it, and after each pass.
STAGES = ("kernel", *PASSES)


def optimized(program: KernelProgram, last: str = STAGES[-1]) -> KernelProgram:
    """The program after all passes up to the stage `last`."""
    for name in STAGES[1 : STAGES.index(last) + 1]:
        program = PASSES[name](program)
    return program
