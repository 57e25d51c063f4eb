"""``pullback explain``: the same facts as text, as a drawing and as a page."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from pullback.tools.cli import main

from .conftest import Write
from .texts import SIMPLE

ROOT = Path(__file__).parents[3]
SVG = "{http://www.w3.org/2000/svg}"


def test_the_text_has_a_row_per_capture_and_marks_the_path(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explain", f"{write(SIMPLE)}::simple"]) == 0
    out = capsys.readouterr().out
    rows = [line.split() for line in out.splitlines() if "hidden output" in line or "shared" in line]
    assert [row[:2] for row in rows] == [["b", "input"], ["t", "intermediate"]]
    assert [line.split("!")[1].strip() for line in out.splitlines() if " ! " in line] == ["t = a + b"]


def test_the_drawing_has_the_lines_and_the_lost_path_in_its_colour(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explain", f"{write(SIMPLE)}::simple", "--format", "svg"]) == 0
    tree = ElementTree.fromstring(capsys.readouterr().out)
    texts = [node.text for node in tree.iter(f"{SVG}text")]
    assert {
        "a",
        "b",
        "t = a + b",
        "return t * b, simple_pullback",
        "grad",
        "gradient of a",
        "gradient of b",
    } <= set(texts)
    red = [line for line in tree.iter(f"{SVG}path") if line.get("stroke") == "crimson"]
    assert len([line for line in red if line.get("stroke-dasharray") is None]) == 3  # a, b, and the legend's


@pytest.mark.parametrize("name", ["layer_norm", "lstm_cell", "gp_covariance", "gelu_tanh", "softplus"])
def test_every_example_has_a_drawing(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", str(ROOT / "examples" / f"{name}.py"), "--format", "svg"]) == 0
    ElementTree.fromstring(capsys.readouterr().out)


def test_the_page_has_the_table_the_drawing_and_the_source(write: Write, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert main(["explain", f"{write(SIMPLE)}::simple", "--format", "html", "-o", str(page)]) == 0
    text = page.read_text(encoding="utf-8")
    assert "<svg" in text
    assert "hidden output" in text
    assert text.count('class="lost"') == 1


def test_a_plain_function_is_explained_with_its_derived_closure(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write("import numpy as np\n\n\ndef swish(x):\n    s = 1 / (1 + np.exp(-x))\n    return x * s\n")
    assert main(["explain", f"{path}::swish"]) == 0
    assert " s " in capsys.readouterr().out


def test_only_names_of_the_author_are_shown(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    text = """import numpy as np


def gated(x, w):
    for i in range(3):
        x = np.tanh(x @ w) + x
    return x / np.linalg.norm(x), np.sum(x * x, axis=0)
"""
    path = write(text)
    assert main(["explain", f"{path}::gated"]) == 0
    names = [line[:22].strip() for line in capsys.readouterr().out.splitlines() if "intermediate  " in line]
    assert names == ["np.tanh(x @ w) + x", "np.linalg.norm(x)", "np.tanh(x @ w) ×3", "np.tanh(x @ w) + x ×2"]
    assert main(["explain", f"{path}::gated", "--format", "svg"]) == 0
    texts = [node.text for node in ElementTree.fromstring(capsys.readouterr().out).iter(f"{SVG}text")]
    assert {"gradient of result 1", "gradient of result 2"} <= set(texts)
    assert not any(re.search(r"_\d", str(line)) for line in texts)


def test_a_layout_that_is_not_there_is_a_message(
    write: Write, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    assert main(["explain", f"{write(SIMPLE)}::simple", "--format", "svg", "--layout", "dot"]) == 1
    assert "`dot` is not installed" in capsys.readouterr().err


def test_a_formula_with_an_error_is_a_located_message(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write("import pullback as pb\n\n\n@pb.formula\ndef bad(x):\n    return x, lambda g: (g, g)\n")
    assert main(["explain", path]) == 1
    assert capsys.readouterr().err.startswith(f"{path}:6:")


def test_the_picture_in_the_documentation_is_current(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(["explain", str(ROOT / "examples" / "simple.py"), "--format", "svg", "--layout", "grandalf"])
        == 0
    )
    committed = (ROOT / "docs" / "simple.svg").read_text(encoding="utf-8")
    assert capsys.readouterr().out == committed, (
        "draw it again: pullback explain examples/simple.py --format svg --layout grandalf -o docs/simple.svg"
    )
