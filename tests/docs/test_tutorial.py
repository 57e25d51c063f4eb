"""The tutorial runs as it stands, and says what it promises."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

TUTORIAL = Path(__file__).resolve().parents[2] / "docs" / "tutorial.ipynb"


@pytest.fixture(scope="module")
def executed() -> Any:
    notebook = nbformat.read(TUTORIAL, as_version=4)
    resources = {"metadata": {"path": str(TUTORIAL.parent)}}
    NotebookClient(notebook, timeout=120, kernel_name="python3", resources=resources).execute()
    return notebook


def printed(cell: Any) -> str:
    return "".join(output.get("text", "") for output in cell.get("outputs", ()))


def output_of(notebook: Any, text: str) -> str:
    """What the one cell prints that contains the text."""
    (cell,) = (cell for cell in notebook.cells if cell.cell_type == "code" and text in cell.source)
    return printed(cell)


def test_the_tape_is_the_notebooks(executed: Any) -> None:
    lines = output_of(executed, "def simple(a, b):").splitlines()
    assert lines[:3] == ["v0 = a + b", "v1 = v0 * b", "v2 = v1.sum()"]
    assert "dL0_da   [0.2517 0.347  0.896  0.3315]" in lines


def test_every_way_but_the_lost_paths_is_right(executed: Any) -> None:
    verdicts = [line for cell in executed.cells for line in printed(cell).splitlines()]
    assert verdicts.count("right") >= 6
    assert verdicts.count("WRONG") == 1


def test_the_lost_path_raises_and_names_the_capture(executed: Any) -> None:
    assert "'fresh'" in output_of(executed, "def simple_lost_path")


def test_the_checker_tells_first_order_from_second(executed: Any) -> None:
    text = output_of(executed, "pb.gradcheck(simple_captured")
    assert "captured, order 3: True" in text
    assert "value only, order 1: True" in text
    assert "value only, order 2: the derivative of order 2" in text


def test_what_is_stored_is_what_runs(executed: Any) -> None:
    stored = nbformat.read(TUTORIAL, as_version=4)
    assert reports(stored) == reports(executed)


def reports(notebook: Any) -> list[str]:
    cells = (cell for cell in notebook.cells if cell.cell_type == "code" and "report(" in cell.source)
    return [printed(cell) for cell in cells if "Error" not in cell.source]
