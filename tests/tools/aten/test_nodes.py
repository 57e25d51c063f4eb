"""Entries of PyTorch's table as nodes in C++: how many are written, and why others are not."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("tree_sitter_cpp")
pytest.importorskip("torchgen")

from pullback.tools.cli import main

pytestmark = pytest.mark.torch


def written(imported_table, folder, *options):
    command = ["export-derivatives", str(imported_table), "--target", "aten", "-o", str(folder), *options]
    assert main(command) == 0
    return {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}


def test_most_of_the_table_is_written_and_the_rest_has_reasons(imported_table, tmp_path, capsys):
    files = written(imported_table, tmp_path)
    printed = capsys.readouterr().out.splitlines()
    counted = re.search(r"(\d+) operators in", printed[0])
    assert counted is not None
    assert int(counted[1]) >= 200
    assert sum("library.impl(" in line for text in files.values() for line in text.splitlines()) == int(
        counted[1]
    )
    left_out = [int(found[1]) for line in printed[1:] if (found := re.match(r"  left out (\d+): ", line))]
    assert sum(left_out) + int(counted[1]) == 687


def test_a_node_saves_what_the_formula_captures(imported_table, tmp_path):
    text = written(imported_table, tmp_path, "--only", "sigmoid")["operators_0.cpp"]
    assert "SavedVariable result_;" in text
    assert "gradients[0] = at::sigmoid_backward(grad, result);" in text
    assert "SavedVariable self_;" not in text
    assert "#include <ATen/ops/sigmoid_backward.h>" in text


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("expand", "gives a view"),
        ("matmul", "is made of other operators"),
        ("cat", "takes a list of tensors"),
        ("cumsum", "calls a function that PyTorch does not export"),
    ],
)
def test_what_is_left_out_has_its_reason(imported_table, tmp_path, capsys, name, reason):
    written(imported_table, tmp_path, "--only", name)


def test_an_unknown_operator_is_refused(imported_table, tmp_path, capsys):
    command = ["export-derivatives", str(imported_table), "--target", "aten", "-o", str(tmp_path)]
    assert main([*command, "--only", "no_such"]) == 2
    assert "the formulas have no operator no_such" in capsys.readouterr().err
