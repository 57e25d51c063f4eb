"""Pictures: edges pass by boxes, what is last stands last, all fits, and dark pages have their colours."""

import re
import shutil
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from pullback.engine.debugging.picture import Arrow, Box, drawing, svg
from pullback.engine.debugging.picture.boxes import last_of

SVG = "{http://www.w3.org/2000/svg}"
# Boxes of different heights and widths; edges over several layers, and an early end.
EDGES = [
    (0, 1),
    (1, 2),
    (2, 3),
    (3, 4),
    (0, 4),
    (0, 3),
    (5, 4),
    (5, 2),
    (1, 4),
    (4, 6),
    (0, 7),
    (5, 6),
    (8, 9),
    (0, 6),
]


def boxes():
    return [Box(["text" * (1 + n % 4)] * (1 + n * 3 % 5), title=f"box {n}") for n in range(10)]


@pytest.fixture(params=["dot", "grandalf"])
def layout(request):
    if request.param == "dot" and shutil.which("dot") is None:
        pytest.skip("needs Graphviz's dot")
    return request.param


def along(path, steps=60):
    """Points of a chain of Bézier curves."""
    for start in range(0, len(path) - 1, 3):
        corners = path[start : start + 4]
        for step in range(steps + 1):
            t = step / steps
            weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
            yield tuple(sum(w * c[axis] for w, c in zip(weights, corners, strict=True)) for axis in (0, 1))


def test_edges_go_from_box_to_box_around_all_others(layout):
    placed = boxes()
    paths = drawing._placed(placed, EDGES, layout)
    assert set(paths) == set(EDGES)
    for (start, end), path in paths.items():
        for x, y in along(path):
            for index, box in enumerate(placed):
                inside = abs(x - box.x) < box.width / 2 - 1 and abs(y - box.y) < box.height / 2 - 1
                assert not inside, f"{start} -> {end} passes box {index}"
        for (x, y), index in ((path[0], start), (path[-1], end)):
            box = placed[index]
            assert abs(x - box.x) <= box.width / 2 + 1
            assert abs(y - box.y) <= box.height / 2 + 1


def test_boxes_are_apart_and_what_is_last_stands_last(layout):
    placed = boxes()
    drawing._placed(placed, EDGES, layout)
    for index, box in enumerate(placed):
        for other in placed[:index]:
            beside = abs(box.x - other.x) >= (box.width + other.width) / 2
            assert beside or abs(box.y - other.y) >= (box.height + other.height) / 2
    assert last_of(EDGES) == [6, 7, 9]
    assert all(placed[7].y - placed[7].height / 2 > placed[n].y for n in (0, 1, 2, 3, 4, 5))
    assert all(placed[start].y < placed[end].y for start, end in EDGES)


def test_the_view_holds_every_point_and_the_legend(layout):
    sample = Arrow(0, 0, stroke="crimson")
    root = ElementTree.fromstring(
        svg(boxes(), [Arrow(*edge) for edge in EDGES], [(sample, "a long explanation " * 9)], layout)
    )
    left, top, width, height = map(float, root.get("viewBox").split())
    assert (left, top) == (0, 0)
    group = root.find(f"{SVG}g")
    moved = [float(number) for number in re.findall(r"-?[\d.]+", group.get("transform"))]
    points = []
    for box in group.iter(f"{SVG}rect"):
        x, y, wide, high = (float(box.get(name)) for name in ("x", "y", "width", "height"))
        points += [(x, y), (x + wide, y + high)]
    for path in group.iter(f"{SVG}path"):
        numbers = [float(number) for number in re.findall(r"-?[\d.]+", path.get("d"))]
        points += zip(numbers[::2], numbers[1::2], strict=True)
    assert all(0 <= x + moved[0] <= width and 0 <= y + moved[1] <= height for x, y in points)
    text = [node for node in root.findall(f"{SVG}text") if node.text.startswith("a long")]
    assert float(text[0].get("x")) + 7.2 * len(text[0].text) <= width


def test_it_shrinks_with_its_page_and_every_colour_has_a_dark_one(layout):
    colored = [Box(["a"], fill="mistyrose"), Box(["b"], fill="lavender")]
    text = svg(colored, [Arrow(0, 1, stroke="crimson")], layout=layout)
    assert "max-width:100%;height:auto" in text
    dark = text[text.index("prefers-color-scheme:dark") :]
    used = set(re.findall(r'(?:fill|stroke)="(\w+)"', text)) - {"none"}
    for color in used:
        assert f'="{color}"]' in dark
    styles = text[text.index("<style>") : text.index("</style>")]
    assert all(rule.startswith(("svg.pullback", "@media", "}")) for rule in styles.splitlines()[1:-1])


def test_a_picture_is_the_same_every_time(layout):
    def draw():
        return svg(boxes(), [Arrow(*edge) for edge in EDGES], layout=layout)

    assert draw() == draw()


def test_without_dot_grandalf_places_the_boxes(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    arrows = [Arrow(*edge) for edge in pairwise(range(10))]
    assert svg(boxes(), arrows) == svg(boxes(), arrows, layout="grandalf")
    with pytest.raises(FileNotFoundError, match="`dot` is not installed"):
        svg(boxes(), arrows, layout="dot")


def test_one_box_and_none_of_the_arrows(layout):
    assert svg([Box(["alone"])], [], layout=layout).count("<rect") == 1
