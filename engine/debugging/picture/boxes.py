"""Boxes and arrows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

LINE = 16
LETTER = 7.3  # the width of one in a monospaced font of 12 pixels

Point = tuple[float, float]
# Cubic Bézier curves, one after the other: the first point, then three for each.
Path = list[Point]
Edge = tuple[int, int]  # the indexes of two boxes


@dataclass
class Box:
    """Lines of text in a box. `title` shows under the pointer; a layout finds x and y of its middle."""

    lines: Sequence[str]
    fill: str = "white"
    stroke: str = "black"
    title: str = ""
    x: float = 0.0
    y: float = 0.0

    @property
    def width(self) -> float:
        """Of the widest line, with a margin."""
        return LETTER * max(map(len, self.lines)) + 16

    @property
    def height(self) -> float:
        """Of all lines, with a margin."""
        return LINE * len(self.lines) + 10


@dataclass(frozen=True)
class Arrow:
    """From one box to another, by their indexes: downwards in the picture. `dash` is SVG's pattern."""

    start: int
    end: int
    stroke: str = "gray"
    width: float = 1.0
    dash: str = ""


def last_of(edges: Sequence[Edge]) -> list[int]:
    """The boxes that arrows lead to and none leaves: they stand in the last row."""
    return sorted({end for _, end in edges} - {start for start, _ in edges})
