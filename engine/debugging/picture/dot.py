"""Layout by Graphviz's `dot`, where it is installed."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence

from .boxes import Box, Edge, Path, last_of

INCH = 72.0
SPACES = "nodesep=0.25; ranksep=0.4;"


def program() -> str | None:
    """The path of `dot`; None where it is not installed."""
    return shutil.which("dot")


def place(dot: str, boxes: Sequence[Box], edges: Sequence[Edge]) -> dict[Edge, Path]:
    """Place the boxes and route the edges with the program `dot`.

    Only sizes and numbers of boxes go to it, so nothing in a label can be taken for its language.
    """
    lines = ["digraph {", SPACES, 'node [shape=box, fixedsize=true, label=""]; edge [dir=none];']
    lines += [
        f"n{index} [width={box.width / INCH:.4f}, height={box.height / INCH:.4f}];"
        for index, box in enumerate(boxes)
    ]
    lines += [f"n{start} -> n{end};" for start, end in edges]
    last = "; ".join(f"n{index}" for index in last_of(edges))
    lines += [f"{{rank=max; {last}}}", "}"]
    done = subprocess.run(
        [dot, "-Tplain"], input="\n".join(lines), capture_output=True, text=True, check=True
    )
    return _read(done.stdout, boxes)


def _read(plain: str, boxes: Sequence[Box]) -> dict[Edge, Path]:
    """The paths, with the boxes put where they stand in dot's plain format.

    Its origin is the lower left corner, its unit an inch.
    """
    paths: dict[Edge, Path] = {}
    height = 0.0
    for line in plain.splitlines():
        kind, *words = line.split()
        if kind == "graph":
            height = float(words[2]) * INCH
        elif kind == "node":
            box = boxes[int(words[0][1:])]
            box.x, box.y = float(words[1]) * INCH, height - float(words[2]) * INCH
        elif kind == "edge":
            numbers = [float(word) * INCH for word in words[3 : 3 + 2 * int(words[2])]]
            points = [(x, height - y) for x, y in zip(numbers[::2], numbers[1::2], strict=True)]
            paths[int(words[0][1:]), int(words[1][1:])] = points
    return paths
