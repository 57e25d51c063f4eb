"""``pullback import-derivatives``: the whole table, and tables of one's own."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

from pullback.tools.cli import main

pytest.importorskip("tree_sitter_cpp")
pytestmark = pytest.mark.torch

# One entry of each kind that the table knows, on functions that ATen has.
OWN = """
- name: sin(Tensor self) -> Tensor
  self: grad * self.cos().conj()
  result: auto_element_wise

- name: atan2(Tensor self, Tensor other) -> Tensor
  self, other: atan2_backward(grad, self, other, grad_input_mask)
  result: (-self_p * other_t + other_p * self_t) / (self_p.pow(2) + other_p.pow(2))

- name: cummax(Tensor self, int dim) -> (Tensor values, Tensor indices)
  self: cummaxmin_backward(grad, self, indices, dim)
  values: self_t.gather(dim, indices)

- name: gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor
  self: gather_backward(grad, self, dim, index, sparse_grad)
  index: non_differentiable
  result: auto_linear

- name: _linalg_det(Tensor A) -> (Tensor result, Tensor LU, Tensor pivots)
  A: linalg_det_backward(grad, result, A, LU, pivots)
  output_differentiability: [True, False, False]

- name: sum(Tensor self, *, ScalarType? dtype=None) -> Tensor
  dispatch:
    Default:
      self: grad.expand_symint(self.sym_sizes())
      result: auto_linear
    AutogradNestedTensor:
      self: ones_like(self) * grad

- name: igamma(Tensor self, Tensor other) -> Tensor
  self: 'not_implemented("igamma: input")'
  other: grad * exp((self - 1) * log(other) - other - lgamma(self))

- name: ceil(Tensor self) -> Tensor
  self: zeros_like(grad)

- name: sigmoid_backward(Tensor grad_output, Tensor output) -> Tensor
  grad_output: sigmoid_backward(grad, output.conj())
  output: grad.conj() * grad_output * (-2 * output.conj() + 1)
"""


@pytest.mark.slow
def test_every_entry_and_formula_is_python_that_lint_accepts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["import-derivatives", "-o", str(tmp_path), "--format", "json"]) == 0
    counts = json.loads(capsys.readouterr().out)
    assert counts["read"] == counts["entries"] > 600
    assert counts["clean"] == counts["emitted"] == counts["formulas"] > 1200


def test_the_files_are_as_a_person_keeps_them(imported_table) -> None:
    files = sorted(imported_table.glob("*.py"))
    assert len(files) > 20
    for file in files:
        text = file.read_text(encoding="utf-8")
        compile(text, str(file), "exec")
        assert not any(
            mark in text for mark in ("at::", "std::", "c10::", "->sym", "_symint", ".defined()", "nullopt")
        )
    ruff = [sys.executable, "-m", "ruff", "check", "--no-cache", "--isolated", "--line-length", "110"]
    done = subprocess.run([*ruff, "--select", "E,F,W,I,B,UP,SIM", "."], cwd=imported_table, check=False)
    assert done.returncode == 0


def test_no_formula_is_written_twice(imported_table) -> None:
    names = [
        node.name
        for file in imported_table.glob("*.py")
        for node in ast.parse(file.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef)
    ]
    assert len(names) == len(set(names))


def import_own(text: str, folder: Path, *options: str) -> int:
    (folder / "derivatives.yaml").write_text(text, encoding="utf-8")
    return main(["import-derivatives", str(folder / "derivatives.yaml"), "-o", str(folder / "out"), *options])


def test_a_table_of_ones_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert import_own(OWN, tmp_path) == 0
    assert (
        capsys.readouterr().out
        == "9 of 9 entries are read; of 17 formulas 17 are written, 17 of them clean\n"
    )
    texts = {file.stem: file.read_text(encoding="utf-8") for file in (tmp_path / "out").iterdir()}
    pointwise = texts["pointwise"]
    assert "return aten.conj(aten.conj(self_t) * aten.conj(aten.cos(self_p)))" in pointwise
    assert (
        "grad_self, grad_other = atan2_backward(grad, self, other, needs_gradient(self, other))" in pointwise
    )
    assert 'grad_self = not_implemented("igamma: input", grad)' in pointwise
    assert "self_t = tangent(self_t, self_p)" in pointwise
    assert "def ceil_pullback(grad):\n        return None" in pointwise
    assert "@pb.formula(nondifferentiable=(1,), jvp=cummax_tangent)" in texts["ordering"]
    assert "def cummax_pullback(grad, grad_indices):" in texts["ordering"]
    assert "def gather(self, index, *, dim: int, sparse_grad: bool = False):" in texts["indexing"]
    assert "return grad_self, None" in texts["indexing"]
    assert "@pb.formula(nondifferentiable=(1, 2))" in texts["linalg"]
    assert (
        "def sum_AutogradNestedTensor(self, *, dtype: aten.ScalarType | None = None):" in texts["reductions"]
    )
    # A gradient is not called as an argument is.
    assert "grad_output_ = aten.conj(grad) * grad_output" in texts["activation"]


def test_what_cannot_be_written_is_counted_and_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = OWN.replace("grad * self.cos().conj()", "grad ^ self").replace("auto_element_wise", "self_t")
    assert import_own(broken, tmp_path) == 1
    out = capsys.readouterr().out
    assert out.startswith(
        "sin (Default): no rule for the operator `^`\n8 of 9 entries are read; of 17 formulas 15"
    )


def test_what_lint_finds_is_not_clean(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = OWN.replace("grad * self.cos().conj()", "self.cos()")
    assert import_own(wrong, tmp_path, "--format", "json") == 1
    counts = json.loads(capsys.readouterr().out)
    assert counts == {"entries": 9, "read": 9, "formulas": 17, "emitted": 17, "clean": 15}


def test_without_lint_nothing_is_called_clean(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert import_own(OWN, tmp_path, "--no-lint") == 0
    assert capsys.readouterr().out == "9 of 9 entries are read; of 17 formulas 17 are written\n"
    assert import_own(OWN, tmp_path, "--no-lint", "--format", "json") == 0
    assert "clean" not in json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("no: table", "is no table of derivatives"),
        ("- name: [", "cannot read"),
        ("- name: sin(Tensor self) -> Tensor\n  self: grads[0] * grad\n", "PyTorch's loader refuses"),
    ],
)
def test_a_file_that_is_no_table_is_misuse(
    text: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert import_own(text, tmp_path) == 2
    assert message in capsys.readouterr().err


def test_a_file_of_someone_else_is_not_written_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "pointwise.py").write_text("mine = 1\n")
    assert import_own(OWN, tmp_path) == 2
    assert "was not imported: give another folder" in capsys.readouterr().err
    assert (tmp_path / "out" / "pointwise.py").read_text() == "mine = 1\n"
