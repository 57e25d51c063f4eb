"""Notebooks as Python text, and findings in their cells."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pullback.tools.errors import UsageError
from pullback.tools.lint.output.github import as_github
from pullback.tools.lint.output.sarif import as_sarif
from pullback.tools.lint.running.runner import Request, lint_paths
from pullback.tools.notebooks import read_notebook
from pullback.transpile.ir import Span

CLASS = """\
class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        t = x.exp()
        ctx.save_for_backward(t)
        return t * 2

    @staticmethod
    def backward(ctx, grad):
        (t,) = ctx.saved_tensors
        return 2 * grad * t"""


def notebook(*cells: str | list[str]) -> bytes:
    """A notebook of code cells, with a text cell before them."""
    code = [{"cell_type": "code", "source": cell, "outputs": []} for cell in cells]
    return json.dumps({"cells": [{"cell_type": "markdown", "source": "# A"}, *code], "nbformat": 4}).encode()


def test_what_only_ipython_reads_is_left_out_and_lines_stay() -> None:
    found = read_notebook(
        "a.ipynb",
        notebook(
            ["%matplotlib inline\n", "import torch\n", "torch.nn?\n", "files = !ls"],
            "%%bash\nrm -r x\n",
            "%%time\ny = ('%d'\n     % 3)",
        ),
    )
    assert found.text.split("\n") == [
        *("pass", "import torch", "pass", "files = None"),
        *("", "", ""),
        *("pass", "y = ('%d'", "     % 3)"),
    ]
    assert found.broken == ()
    assert found.place(Span("a.ipynb", 9, 5, 9, 6)) == Span("a.ipynb:3", 2, 5, 2, 6)


def test_lines_in_messages_are_those_of_cells() -> None:
    found = read_notebook("a.ipynb", notebook("x = 1\ny = 2", "z = 3"))
    told = found.located("set (line 3), used (line 2, b.py, line 2)", Span("a.ipynb", 3, 1, 3, 2))
    assert told == "set (line 1), used (line 2 of a.ipynb:1, b.py, line 2)"


def test_a_cell_that_python_cannot_read_is_named() -> None:
    found = read_notebook("a.ipynb", notebook("x = 1", "y =\nz = 2", "w = 3"))
    assert found.text == "x = 1\n\n\nw = 3"
    (said,) = found.broken
    assert said.startswith("a.ipynb:2:1: Python cannot read this cell")


@pytest.mark.parametrize("data", [b"x = 1", b"[]", b'{"worksheets": []}', b'{"cells": [1]}'])
def test_other_files_are_misuse(data: bytes) -> None:
    with pytest.raises(UsageError, match=r"a\.ipynb: is no notebook of format 4"):
        read_notebook("a.ipynb", data)


def test_findings_have_their_cell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    silenced = CLASS.replace("save_for_backward(t)", "save_for_backward(t)  # noqa: PB101")
    Path("a.ipynb").write_bytes(notebook("import torch", CLASS, silenced.replace("Scaled", "Silenced")))
    report = lint_paths(Request(["a.ipynb"], use_cache=False, repairs=True))
    (found,) = (found for found in report.findings if found.code == "PB101")
    assert str(found.span) == "a.ipynb:2:5:31"
    assert "(line 4), saved (line 5), enters the returned gradient (line 11)" in found.message
    assert report.silenced == 1
    assert report.repairs == {}
    assert report.sources["a.ipynb:2"].line(5).strip() == "ctx.save_for_backward(t)"
    assert "file=a.ipynb," in as_github([found])
    assert "a.ipynb%3A2" not in as_github([found])
    assert '"uri": "a.ipynb"' in as_sarif([found], report)
    assert '"region"' not in as_sarif([found], report)
