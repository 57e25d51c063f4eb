"""The planner's knowledge of each variable."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Literal as OneOf

from ...ir import Atom, Eqn
from ...passes.kernel.types import Type
from ...records import record
from ..expressions import Expression
from . import shape_sets
from .kernel import ShapeSet

# lane: computed per element inside a loop; array: a view at function scope; scalar: a value without
# axes that is computed of elements, a variable of C++;
# total: a reduction of a lane to a saved shape, not begun yet; number, shape:
# values; like: shape and type of an array.
# list: one that is written out; collected: the values of a loop's iterations, of elements of one
# kind, at `depth` lists within each other. index: a tuple, a slice, or where it is `known`, an index
# of the runtime's.
Kind = OneOf[
    "lane", "array", "scalar", "total", "number", "shape", "like", "list", "collected", "index",
    "dtype", "none",
]  # fmt: skip


@record(frozen=True, slots=True)
class Leaf:
    """A shape, the set of names that it stands for, and where it is declared."""

    node: Expression
    shape: ShapeSet
    level: int = 0


@record(frozen=True, slots=True)
class Fact:
    """A variable's place in a kernel.

    `known` is the name of an array's view, or the expression of a scalar, a
    number or a shape. `leaves` are shapes whose broadcast is this one's shape. `level`
    counts the loops that must have run before. A lane has its `eqn`. An integer
    that is `large` may be of any size.
    """

    kind: Kind
    type: Type = "T"
    shape: ShapeSet = shape_sets.SCALAR
    leaves: tuple[Leaf, ...] = ()
    level: int = 0
    known: Expression | None = None
    eqn: Eqn | None = None
    items: tuple[Atom, ...] = ()
    literal: object = None
    element: str = ""
    depth: int = 1
    large: bool = False

    @property
    def node(self) -> Expression:
        """The expression of a variable that has one."""
        assert self.known is not None
        return self.known

    def at_start(self) -> Fact:
        """The fact as a block inside finds it: it is there before the block begins."""
        if not self.level and not any(leaf.level for leaf in self.leaves):
            return self
        return replace(self, level=0, leaves=tuple([Leaf(leaf.node, leaf.shape) for leaf in self.leaves]))


def covering(leaves: Iterable[Leaf], prune: bool = True) -> list[Leaf]:
    """Leaves whose broadcast is that of all. Without `prune`, each distinct one."""
    distinct = list(dict.fromkeys(leaves))
    if not prune:
        return distinct
    whole, chosen = shape_sets.join(leaf.shape for leaf in distinct), list[Leaf]()
    for leaf in sorted(distinct, key=lambda leaf: (leaf.shape != whole, -len(leaf.shape))):
        before = shape_sets.join(other.shape for other in chosen)
        if shape_sets.join([before, leaf.shape]) != before:
            chosen.append(leaf)
    return sorted(chosen, key=distinct.index)
