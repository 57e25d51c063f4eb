"""Entries of PyTorch's table, explained by the names of their operators."""

from __future__ import annotations

import pytest

pytest.importorskip("tree_sitter_cpp")
pytest.importorskip("torchgen")

from pullback.tools.aten.table import Table
from pullback.tools.cli import main
from pullback.tools.errors import UsageError
from pullback.tools.explain.entry import explained_entry

pytestmark = pytest.mark.torch


@pytest.fixture(scope="module")
def table() -> Table:
    return Table()


def test_the_command_prints_table_formula_captures_and_cpp(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "aten::layer_norm"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == (
        "aten::layer_norm is made of other operators and has no entry; "
        "the nearest name is aten::native_layer_norm"
    )
    assert any(
        line.startswith("  input, weight, bias: grad.defined() ? native_layer_norm_back") for line in lines
    )
    (closure,) = (line for line in lines if "def native_layer_norm_pullback(" in line)
    rows = [line.split() for line in lines]
    (saved,) = (row for row in rows if row[:2] == ["result1", "result"])
    assert int(saved[2]) > int(closure.split()[0])  # the line that captures it, as it is numbered above
    assert "struct native_layer_norm_node : Node {" in lines
    assert "        node->result1_ = saved(result1, true);" in lines


def test_a_page_has_the_formula(tmp_path) -> None:
    pytest.importorskip("grandalf")
    assert main(["explain", "aten::exp", "--format", "html", "-o", str(tmp_path / "exp.html")]) == 0
    assert "exp_pullback" in (tmp_path / "exp.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "schema", "note"),
    [
        ("exp", "exp(", ""),
        ("add.Tensor", "add.Tensor(", ""),
        ("add_Tensor", "add.Tensor(", ""),  # the name of the formula
        ("atan2", "atan2(", ""),
        ("lerp_.Scalar", "lerp.Scalar(", "aten::lerp_.Scalar has the derivative of aten::lerp.Scalar"),
        ("softmax", "_softmax(", "aten::softmax is made of other operators and has no entry"),
    ],
)
def test_an_entry_is_found_by_its_operator(name: str, schema: str, note: str, table: Table) -> None:
    found = explained_entry(f"aten::{name}", table)
    assert found.schema.startswith(schema)
    assert found.note.startswith(note)
    assert bool(found.note) == bool(note)


def test_what_the_library_leaves_out_has_a_reason(table: Table) -> None:
    assert explained_entry("aten::exp", table).left_out == ""
    assert explained_entry("aten::unbind.int", table).cpp is None
    assert explained_entry("aten::unbind.int", table).left_out == "gives a view"
    nested = explained_entry("aten::sum_AutogradNestedTensor", table)
    assert (nested.cpp, nested.left_out) == (None, "it is for AutogradNestedTensor")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("add", "which overload? Name one: aten::add.Tensor, aten::add.Scalar"),
        ("cosine_similarity", "has no entry, it is made of other operators"),
        ("layer_nrom", "Did you mean aten::layer_norm"),
        ("zzzzzzzz", "has no entry for it.$"),
    ],
)
def test_a_name_without_an_entry_is_misuse(name: str, message: str, table: Table) -> None:
    with pytest.raises(UsageError, match=message.replace("?", r"\?")) as raised:
        explained_entry(f"aten::{name}", table)
    assert str(raised.value).startswith(f"aten::{name}: ")


@pytest.mark.slow
def test_every_entry_is_explained(table: Table) -> None:
    for entry in table.entries:
        found = explained_entry(f"aten::{entry.name}", table)
        assert found.schema == entry.schema
        assert (found.cpp is None) == bool(found.left_out)
