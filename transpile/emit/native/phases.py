"""What runs once everything before it has: declarations, loops and calls of one level of a kernel."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ...loops.statements import Statement
from . import extents
from .kernel import ShapeSet
from .stages import Stage

if TYPE_CHECKING:
    from .control import Control


@dataclass(slots=True)
class Phase:
    """What runs at one level: declarations, then stages, then calls."""

    declarations: list[Statement] = field(default_factory=list)
    stages: dict[ShapeSet, Stage] = field(default_factory=dict)
    calls: list[Statement | Control] = field(default_factory=list)

    def join_stages(self) -> None:
        """Let stores over a part of another stage's space go along with it.

        But for one element a row, one row, and what is made of a total: the whole would have it many times.
        """
        for shape, stage in list(self.stages.items()):
            of_total = any(leaf.shape == extents.SCALAR for leaf in stage.leaves)
            if stage.reduces or extents.is_held(shape) or of_total:
                continue
            for other_shape, other in self.stages.items():
                wider = other is not stage and extents.join([shape, other_shape]) == other_shape
                if wider:
                    other.sinks[:0] = stage.sinks
                    other.leaves[:0] = stage.leaves
                    del self.stages[shape]
                    break
