"""The levels of a kernel: declarations, loops and calls that run once everything before them has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from ...ir import Span
from ..statements import Statement
from . import shape_sets
from .kernel import ShapeSet
from .stages import Stage

P = TypeVar("P")
Body = tuple[Statement, ...]


@dataclass(slots=True)
class Control(Generic[P]):
    """A statement with blocks: declarations before it, a plan for each block, and what makes it of these."""

    span: Span | None
    before: list[Statement] = field(default_factory=list)
    plans: Sequence[P] = ()
    make: Callable[[Sequence[Body]], Sequence[Statement]] = lambda bodies: ()


@dataclass(slots=True)
class Phase(Generic[P]):
    """One level: declarations, then stages, then calls."""

    declarations: list[Statement] = field(default_factory=list)
    stages: dict[ShapeSet, Stage] = field(default_factory=dict)
    calls: list[Statement | Control[P]] = field(default_factory=list)

    def join_stages(self) -> None:
        """Let stores over a part of another stage's space go along with it.

        But for one element a row, one row, and what is made of a total: the whole would have it many times.
        """
        for shape, stage in list(self.stages.items()):
            of_total = any(leaf.shape == shape_sets.SCALAR for leaf in stage.leaves)
            if stage.reduces or shape_sets.is_held(shape) or of_total:
                continue
            for other_shape, other in self.stages.items():
                wider = other is not stage and shape_sets.join([shape, other_shape]) == other_shape
                if wider:
                    other.sinks[:0] = stage.sinks
                    other.leaves[:0] = stage.leaves
                    del self.stages[shape]
                    break
