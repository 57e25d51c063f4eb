"""Pictures of boxes and arrows as SVG; `grandalf`'s Sugiyama layout finds the places."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

MARGIN = 10
LAYERS = 32  # pixels between one and the next
LINE = 16
LETTER = 7.3  # the width of one in a monospaced font of 12 pixels


@dataclass
class Box:
    """Lines of text in a box. `title` shows under the pointer; x and y of its middle are found."""

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


def svg(boxes: Sequence[Box], arrows: Sequence[Arrow], legend: Sequence[tuple[Arrow, str]] = ()) -> str:
    """The picture. `legend` has a sample of a kind of arrow and its meaning, in a row each below.

    ImportError, with what to install, where grandalf is missing.
    """
    width, height = _place(boxes, [(arrow.start, arrow.end) for arrow in arrows])
    parts = []
    for arrow in arrows:
        start, end = boxes[arrow.start], boxes[arrow.end]
        parts.append(
            _line(arrow, start.x, start.y + start.height / 2, end.x, end.y - end.height / 2, _marker(arrow))
        )
    parts += [part for box in boxes for part in _box(box)]
    for sample, text in legend:
        height += LINE + 4
        parts.append(_line(sample, MARGIN, height - 10, MARGIN + 36, height - 10, _marker(sample)))
        parts.append(f'<text x="{MARGIN + 46}" y="{height - 6:.1f}">{html.escape(text)}</text>')
        width = max(width, MARGIN + 46 + LETTER * len(text) + MARGIN)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height + MARGIN:.0f}" '
        'font-family="monospace" font-size="12" style="background:white">'
    )
    colors = dict.fromkeys(arrow.stroke for arrow in [*arrows, *(sample for sample, _ in legend)])
    tips = "".join(
        f'<marker id="tip-{color}" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" '
        f'markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L8 4L0 8z" fill="{color}"/></marker>'
        for color in colors
    )
    return "\n".join([head, f"<defs>{tips}</defs>", *parts, "</svg>"]) + "\n"


def _marker(arrow: Arrow) -> str:
    return f' marker-end="url(#tip-{arrow.stroke})"'


def _line(arrow: Arrow, x1: float, y1: float, x2: float, y2: float, tip: str) -> str:
    dash = f' stroke-dasharray="{arrow.dash}"' if arrow.dash else ""
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{arrow.stroke}" '
        f'stroke-width="{arrow.width:g}"{dash}{tip}/>'
    )


def _box(box: Box) -> list[str]:
    left, top = box.x - box.width / 2, box.y - box.height / 2
    title = f"<title>{html.escape(box.title)}</title>" if box.title else ""
    parts = [
        f'<rect x="{left:.1f}" y="{top:.1f}" width="{box.width:.1f}" height="{box.height:.1f}" rx="3" '
        f'fill="{box.fill}" stroke="{box.stroke}">{title}</rect>'
    ]
    for number, line in enumerate(box.lines):
        y = top + LINE * (number + 1)
        parts.append(f'<text x="{left + 8:.1f}" y="{y:.1f}" xml:space="preserve">{html.escape(line)}</text>')
    return parts


def _place(boxes: Sequence[Box], edges: Sequence[tuple[int, int]]) -> tuple[float, float]:
    """Place the boxes so that edges go downwards; width and height of the picture."""
    try:
        from grandalf.graphs import Edge, Graph, Vertex
        from grandalf.layouts import SugiyamaLayout
    except ImportError as error:
        raise ImportError('the picture of a graph needs grandalf: pip install "pullback[graph]"') from error

    class Arc(Edge):  # type: ignore[misc]
        """An edge whose order in grandalf's sets, and so the picture, is the same in every run."""

        def __hash__(self) -> int:
            return hash(self.data)

    vertices: list[Any] = [Vertex(box) for box in boxes]
    for vertex, box in zip(vertices, boxes, strict=True):
        vertex.view = _View(box.width, box.height)
    arrows = [
        Arc(vertices[older], vertices[younger], data=number)
        for number, (older, younger) in enumerate(dict.fromkeys(edges))
    ]
    left = float(MARGIN)
    for component in Graph(vertices, arrows).C:
        layout = SugiyamaLayout(component)
        layout.yspace = LAYERS
        layout.init_all()
        layout.draw()
        inside = list(component.sV)
        west = min(vertex.view.xy[0] - vertex.view.w / 2 for vertex in inside)
        north = min(vertex.view.xy[1] - vertex.view.h / 2 for vertex in inside)
        for vertex in inside:
            vertex.data.x = vertex.view.xy[0] - west + left
            vertex.data.y = vertex.view.xy[1] - north + MARGIN
        left = max(vertex.data.x + vertex.data.width / 2 for vertex in inside) + MARGIN
    return left, max(box.y + box.height / 2 for box in boxes) + MARGIN


class _View:
    """The size of a vertex, which the layout reads, and its place, which the layout writes."""

    def __init__(self, w: float, h: float) -> None:
        self.w, self.h = w, h
        self.xy = (0.0, 0.0)
