"""Entries of PyTorch's table as nodes in C++: how many are written, and why others are not."""

from __future__ import annotations

import re
import shutil

import pytest

pytest.importorskip("tree_sitter_cpp")
pytest.importorskip("torchgen")

from pullback.tools.cli import main

pytestmark = pytest.mark.torch


def export(folder, to, *only):
    """The exit status of the command for a folder of formulas, with these operators only."""
    named = [text for name in only for text in ("--only", name)]
    return main(["export-derivatives", str(folder), "--target", "aten", "-o", str(to), *named])


@pytest.fixture
def part(imported_table, tmp_path):
    """A folder with some files of the table: the whole takes ten times as long."""

    def of(*names):
        folder = tmp_path / "part"
        folder.mkdir()
        for name in names:
            shutil.copy(imported_table / f"{name}.py", folder)
        return folder

    return of


@pytest.mark.slow
def test_most_of_the_table_is_written_and_the_rest_has_reasons(imported_table, tmp_path, capsys):
    assert export(imported_table, tmp_path) == 0
    printed = capsys.readouterr().out.splitlines()
    counted = re.search(r"(\d+) operators in", printed[0])
    assert counted is not None
    written = int(counted[1])
    assert written >= 200
    lines = [line for path in tmp_path.iterdir() for line in path.read_text(encoding="utf-8").splitlines()]
    assert sum("library.impl(" in line for line in lines) == written
    left_out = [int(found[1]) for line in printed[1:] if (found := re.match(r"  left out (\d+): ", line))]
    assert sum(left_out) + written == 687


def test_a_node_saves_what_the_formula_captures(part, tmp_path):
    assert export(part("activation"), tmp_path, "sigmoid") == 0
    text = (tmp_path / "operators_0.cpp").read_text(encoding="utf-8")
    assert "SavedVariable result_;" in text
    assert "gradients[0] = at::sigmoid_backward(grad, result);" in text
    assert "SavedVariable self_;" not in text
    assert "#include <ATen/ops/sigmoid_backward.h>" in text


@pytest.mark.slow
def test_what_is_left_out_has_its_reason(part, tmp_path, capsys):
    folder = part("shapes", "products", "reductions")
    assert export(folder, tmp_path / "cpp", "expand", "matmul", "cat", "cumsum") == 0
    assert capsys.readouterr().out.splitlines()[1:] == [
        "  left out 1: calls a function that PyTorch does not export",
        "  left out 1: gives a view",
        "  left out 1: is made of other operators",
        "  left out 1: takes a list of tensors",
    ]


def test_an_unknown_operator_is_refused(part, tmp_path, capsys):
    assert export(part("softmax"), tmp_path / "cpp", "no_such") == 2
    assert "the formulas have no operator no_such" in capsys.readouterr().err
    assert not (tmp_path / "cpp").exists()
