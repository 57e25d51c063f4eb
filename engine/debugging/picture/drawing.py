"""The SVG of placed boxes and arrows, for a light page and a dark one."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence

from . import dot, layers
from .boxes import LETTER, LINE, Arrow, Box, Edge, Path

MARGIN = 10
# What a colour becomes on a dark page.
DARK = {
    "white": "#161b22",
    "gainsboro": "#373e47",
    "lightgray": "#373e47",
    "lavender": "#332a52",
    "mistyrose": "#4c2328",
    "aliceblue": "#16304d",
    "black": "#8b949e",
    "gray": "#9aa4ae",
    "silver": "#59636e",
    "steelblue": "#79b8ff",
    "crimson": "#ff7b8a",
}


def svg(
    boxes: Sequence[Box],
    arrows: Sequence[Arrow],
    legend: Sequence[tuple[Arrow, str]] = (),
    layout: str = "auto",
) -> str:
    """The picture. `legend` has a sample of a kind of arrow and its meaning, in a row each below.

    `layout` is "dot" (Graphviz), "grandalf", or "auto": `dot` where it is installed.
    ImportError, with what to install, where there is neither. It shrinks to the width
    of its page, and follows the page's light or dark colours.
    """
    paths = _placed(boxes, list(dict.fromkeys((arrow.start, arrow.end) for arrow in arrows)), layout)
    left, top, right, bottom = _frame(boxes, paths)
    width, height = right - left + 2 * MARGIN, bottom - top + 2 * MARGIN
    parts = [_curve(arrow, paths[arrow.start, arrow.end]) for arrow in arrows]
    parts += [part for box in boxes for part in _box(box)]
    parts = [f'<g transform="translate({MARGIN - left:.1f} {MARGIN - top:.1f})">', *parts, "</g>"]
    for sample, text in legend:
        height += LINE + 4
        y = height - 14
        parts.append(_curve(sample, [(MARGIN, y), (MARGIN, y), (MARGIN + 36, y), (MARGIN + 36, y)]))
        parts.append(f'<text x="{MARGIN + 46}" y="{y + 4:.1f}">{html.escape(text)}</text>')
        width = max(width, MARGIN + 46 + LETTER * len(text) + MARGIN)
    size = f"{width:.0f}", f"{height:.0f}"
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="pullback" width="{size[0]}" height="{size[1]}" '
        f'viewBox="0 0 {size[0]} {size[1]}" font-family="monospace" font-size="12">'
    )
    strokes = dict.fromkeys(arrow.stroke for arrow in [*arrows, *(sample for sample, _ in legend)])
    tips = [_tip(color) for color in strokes]
    return (
        "\n".join([head, _style(boxes, list(strokes)), "<defs>", *tips, "</defs>", *parts, "</svg>"]) + "\n"
    )


def _placed(boxes: Sequence[Box], edges: Sequence[Edge], layout: str) -> dict[Edge, Path]:
    program = dot.program() if layout in ("auto", "dot") else None
    if program is not None:
        return dot.place(program, boxes, edges)
    if layout == "dot":
        raise FileNotFoundError("Graphviz's `dot` is not installed")
    return layers.place(boxes, edges)


def _frame(boxes: Sequence[Box], paths: Mapping[Edge, Path]) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of all boxes and of the corners of all curves, which hold the curves."""
    corners = [
        (box.x + side * box.width / 2, box.y + side * box.height / 2) for box in boxes for side in (-1, 1)
    ]
    points = [*corners, *(point for path in paths.values() for point in path)]
    columns, rows = [x for x, _ in points], [y for _, y in points]
    return min(columns), min(rows), max(columns), max(rows)


def _style(boxes: Sequence[Box], strokes: Sequence[str]) -> str:
    """Style rules: the picture's own, so that a page with several pictures is none the worse for them."""
    fills = dict.fromkeys([*(box.fill for box in boxes), *strokes])
    lines = dict.fromkeys([*(box.stroke for box in boxes), *strokes])
    dark = [f'svg.pullback [fill="{color}"]{{fill:{DARK[color]}}}' for color in fills]
    dark += [f'svg.pullback [stroke="{color}"]{{stroke:{DARK[color]}}}' for color in lines]
    return "\n".join(
        [
            "<style>",
            "svg.pullback{max-width:100%;height:auto;background:white}",
            "@media (prefers-color-scheme:dark){",
            "svg.pullback{background:#0d1117}",
            "svg.pullback text{fill:#e6edf3}",
            *dark,
            "}",
            "</style>",
        ]
    )


def _tip(color: str) -> str:
    return (
        f'<marker id="tip-{color}" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" '
        f'markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L8 4L0 8z" fill="{color}"/></marker>'
    )


def _curve(arrow: Arrow, path: Path) -> str:
    first, *others = [f"{x:.1f} {y:.1f}" for x, y in path]
    dash = f' stroke-dasharray="{arrow.dash}"' if arrow.dash else ""
    return (
        f'<path d="M{first}C{" ".join(others)}" fill="none" stroke="{arrow.stroke}" '
        f'stroke-width="{arrow.width:g}"{dash} marker-end="url(#tip-{arrow.stroke})"/>'
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
