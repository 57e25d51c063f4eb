"""``pullback export-derivatives``: the whole table there and back, and what an entry cannot say."""

from __future__ import annotations

import subprocess
import sysconfig
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("tree_sitter_cpp")
pytest.importorskip("torchgen")

from torch.utils.cpp_extension import include_paths
from torchgen.api.autograd import match_differentiability_info
from torchgen.gen import parse_native_yaml
from torchgen.packaged.autograd.gen_autograd_functions import gen_autograd_functions_lib
from torchgen.packaged.autograd.gen_variable_type import gen_variable_type
from torchgen.packaged.autograd.load_derivatives import load_derivatives

from pullback.tools.aten.table import Table, packaged
from pullback.tools.cli import main
from pullback.tools.commands import export_derivatives
from tests.tools.aten.test_import import OWN

pytestmark = pytest.mark.torch

HEAD = '''"""Formulas of one's own."""

import math

import pullback as pb
from pullback import aten
from pullback.formulas.aten import atan2_backward, needs_gradient


'''
SIN = '''@pb.formula
def sin(self):
    """sin(Tensor self) -> Tensor"""
    result = aten.sin(self)

    def sin_pullback(grad):
        return grad * aten.conj(aten.cos(self))

    return result, sin_pullback
'''
CUMMAX = '''@pb.formula(nondifferentiable=(1,))
def cummax(self, *, dim: int):
    """cummax(Tensor self, int dim) -> (Tensor values, Tensor indices)"""
    values, indices = aten.cummax(self, dim)
    return (values, indices), lambda g, _: aten.cummaxmin_backward(g, self, indices, dim)
'''


def export(folder: Path, text: str, name: str = "own.py") -> tuple[int, str]:
    """The exit status for a file of formulas, and the table that was written, if one was."""
    (folder / "formulas").mkdir(exist_ok=True)
    (folder / "formulas" / name).write_text(text, encoding="utf-8")
    path = folder / "derivatives.yaml"
    status = main(["export-derivatives", str(folder / "formulas"), "-o", str(path)])
    return status, path.read_text(encoding="utf-8") if path.exists() else ""


def texts(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.py")}


def test_a_sample_of_the_table_comes_back(tmp_path: Path) -> None:
    entries = (packaged() / "autograd" / "derivatives.yaml").read_text(encoding="utf-8").split("\n- name: ")
    (tmp_path / "sample.yaml").write_text("\n- name: ".join(["", *entries[1::16]]), encoding="utf-8")
    assert there_and_back(tmp_path / "sample.yaml", tmp_path) >= 40


def there_and_back(table: Path, folder: Path) -> int:
    """The number of entries of a table that are the same formulas after export and import."""
    first, second, path = folder / "first", folder / "second", folder / "derivatives.yaml"
    assert main(["import-derivatives", str(table), "-o", str(first), "--no-lint"]) == 0
    assert main(["export-derivatives", str(first), "-o", str(path)]) == 0
    assert main(["import-derivatives", str(path), "-o", str(second), "--no-lint"]) == 0
    assert texts(first) == texts(second)
    return path.read_text(encoding="utf-8").count("- name: ")


CHOSEN = {
    "erf(": "2.0 / std::sqrt(M_PI) *",
    "cumprod(": "dtype.has_value() ? dtype.value() : self_p.scalar_type()",
    "eq_.Scalar(": "self: zeros_like(self)",
    "block_diag(": "block_diag_backward(grad, to_args_sizes(tensors), to_args_scalartypes(tensors))",
    "cat(": "cat_tensors_backward(grad, to_args_sizes_symint(tensors), to_args_scalartypes(tensors), dim)",
    "lerp.Scalar(": "grad * (1 - weight.conj().toComplexDouble()) : grad * (1 - weight.toDouble())",
    "_nested_tensor_from_tensor_list(": "grad.defined() ? grad.unbind() : std::vector<Tensor>(list.size())",
    "_nested_get_values(": "at::_nested_get_max_seqlen(self).defined() ? "
    "std::optional<Tensor>(at::_nested_get_max_seqlen(self)) : ::std::nullopt",
}


def test_the_texts_have_the_types_of_c(tmp_path: Path) -> None:
    """In one table: the loader takes most of a second to read any."""
    entries = (packaged() / "autograd" / "derivatives.yaml").read_text(encoding="utf-8").split("\n- name: ")
    chosen = [each for each in entries[1:] if each.startswith(tuple(CHOSEN))]
    (tmp_path / "some.yaml").write_text("\n- name: ".join(["", *chosen]), encoding="utf-8")
    assert there_and_back(tmp_path / "some.yaml", tmp_path) == len(CHOSEN)
    written = (tmp_path / "derivatives.yaml").read_text(encoding="utf-8").split("- name: ")
    for name, text in CHOSEN.items():
        (entry,) = [each for each in written if each.startswith(name)]
        assert text in entry


@pytest.mark.slow
@pytest.mark.compiler
@pytest.mark.parametrize("file", ["Functions.cpp", "VariableTypeEverything.cpp"])
def test_what_pytorch_generates_of_the_table_compiles(file: str, tmp_path: Path) -> None:
    """Formulas of gradients stand in the first file, those of tangents in the second."""
    there_and_back(packaged() / "autograd" / "derivatives.yaml", tmp_path)
    generated = tmp_path / "torch" / "csrc" / "autograd" / "generated"
    generated.mkdir(parents=True)
    generate(tmp_path / "derivatives.yaml", generated)
    folders = [str(tmp_path), *include_paths(), sysconfig.get_paths()["include"]]
    command = ["c++", "-std=c++20", "-fsyntax-only", "-w", *(f"-I{each}" for each in folders)]
    done = subprocess.run([*command, str(generated / file)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, "\n".join(line for line in done.stderr.splitlines() if "error:" in line)


def generate(table: Path, folder: Path) -> None:
    """Write what PyTorch is built of, as its own generator does."""
    natives, tags = (packaged() / "ATen" / "native" / name for name in ("native_functions.yaml", "tags.yaml"))
    templates = str(packaged() / "autograd" / "templates")
    derivatives, keys = load_derivatives(str(table), str(natives), str(tags))
    functions = parse_native_yaml(str(natives), str(tags)).native_functions
    matched = match_differentiability_info(list(functions), derivatives)  # which adds those of `_foreach_`
    gen_autograd_functions_lib(str(folder), derivatives, templates)
    gen_variable_type(str(folder), str(natives), str(tags), matched, templates, keys)


@pytest.mark.slow
def test_every_entry_of_the_table_comes_back(tmp_path: Path) -> None:
    table = packaged() / "autograd" / "derivatives.yaml"
    assert there_and_back(table, tmp_path) == len(Table(table).entries)


def test_entries_are_written_as_the_table_writes_them(tmp_path: Path) -> None:
    own = tmp_path / "own.yaml"
    own.write_text(OWN, encoding="utf-8")
    assert main(["import-derivatives", str(own), "-o", str(tmp_path / "made"), "--no-lint"]) == 0
    path = tmp_path / "derivatives.yaml"
    assert main(["export-derivatives", str(tmp_path / "made"), "-o", str(path)]) == 0
    made = path.read_text(encoding="utf-8").replace("at::", "")
    entries = set(made.strip().split("\n\n"))
    for entry in OWN.strip().split("\n\n"):
        # Of a formula of `grad` alone the other results are not differentiable, said or not.
        if not entry.startswith(("- name: _linalg_det", "- name: igamma")):
            assert entry in entries
    assert "  other: grad * ((self - 1) * other.log() - other - self.lgamma()).exp()" in made


def test_an_edited_formula(tmp_path: Path) -> None:
    edited = SIN.replace(
        "        return grad * aten.conj(aten.cos(self))\n",
        "        c = aten.cos(self)\n"
        "        if aten.is_complex(self):\n"
        "            c = aten.conj(c)\n"
        "        scale: float = math.pi\n"
        "        return grad * c * scale\n",
    )
    status, text = export(tmp_path, HEAD + edited)
    assert status == 0
    assert text == (
        "- name: sin(Tensor self) -> Tensor\n"
        "  self: 'grad * (self.is_complex() ? self.cos().conj() : self.cos()) * M_PI'\n"
    )


def test_a_lambda_whose_parameters_have_other_names(tmp_path: Path) -> None:
    status, text = export(tmp_path, HEAD + CUMMAX)
    assert status == 0
    assert text == (
        "- name: cummax(Tensor self, int dim) -> (Tensor values, Tensor indices)\n"
        "  self: at::cummaxmin_backward(grad, self, indices, dim)\n"
    )


@pytest.mark.parametrize(
    ("before", "after", "place", "message", "hint"),
    [
        ("grad * aten.conj", "grad @ aten.conj", "16:16", "no C++ for `grad @", "functions of ATen"),
        ("(self))\n\n", "(other))\n\n", "16:42", "has no name `other`", "grad, result, self"),
        ("aten.cos(", "cosine(", "16:33", "`cosine` is no function of", "pullback.formulas.aten"),
        ("aten.cos(", "aten.cosine(", "16:33", "ATen has no function `cosine`", "that ATen has"),
        (
            "aten.sin(self)",
            "aten.sin(self) + 1",
            "13:14",
            "of the operator itself",
            "result = aten.sin(self)",
        ),
        ('"""sin(Tensor self) -> Tensor"""', '"""Sine."""', "11:1", "which operator of ATen", "the schema"),
        ("sin(Tensor self) ->", "sin(Tensor x) ->", "11:1", "ATen has no function `sin(", "native_functions"),
        ("def sin(self):", "def sin(x):", "11:1", "not those of the schema", "def sin(self)"),
        ("@pb.formula", "@pb.formula(first_order_only=True)", "10:30", "`first_order_only`", "jvp=NAME"),
        (
            "        return grad",
            "        grad += 1\n        return grad",
            "16:9",
            "is an expression",
            "helper",
        ),
        ("aten.cos(self)", "aten.sum(self, dtype=None)", "16:33", "no keywords: `sum`", "every argument"),
    ],
)
def test_what_an_entry_cannot_say_is_shown_where_it_stands(
    before: str,
    after: str,
    place: str,
    message: str,
    hint: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert before in SIN
    (tmp_path / "derivatives.yaml").write_text("what was there\n", encoding="utf-8")
    text = HEAD + SIN.replace(before, after, 1)
    status, left = export(tmp_path, text)
    assert status == 1
    assert left == "what was there\n"
    first, line, caret, said = capsys.readouterr().out.splitlines()[:4]
    assert first.startswith(f"{tmp_path / 'formulas' / 'own.py'}:{place}: PB502 error: ")
    assert message in first
    row, column = map(int, place.split(":"))
    assert line == text.splitlines()[row - 1]
    assert caret.index("^") == column - 1
    assert said.startswith("  help: ")
    assert hint in said


def test_other_entries_of_the_file_are_looked_at_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = SIN.replace("aten.cos", "cosine") + "\n\n" + CUMMAX.replace("indices, dim)\n", "dims, dim)\n")
    assert export(tmp_path, HEAD + wrong) == (1, "")
    shown = capsys.readouterr().out
    assert "`cosine`" in shown
    assert "dims" in shown
    assert shown.endswith("derivatives.yaml: not written, the table cannot say what stands in 2 places\n")


def test_a_clone_after_what_writes_over_it_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = SIN.replace("sin(Tensor self) -> Tensor", "sin_(Tensor(a!) self) -> Tensor(a!)")
    text = text.replace("def sin(", "def sin_(").replace(
        "aten.sin(self)\n", "aten.sin_(self)\n    original = aten.clone(self)\n"
    )
    assert export(tmp_path, HEAD + text.replace("cos(self)", "cos(original)")) == (1, "")
    assert "clone it before" in capsys.readouterr().out


def test_a_folder_without_formulas_is_misuse(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, text = export(tmp_path, HEAD)
    assert (status, text) == (2, "")
    assert "no formula of an operator" in capsys.readouterr().err


def test_what_the_loader_refuses_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    written = export_derivatives.write_folder

    def with_a_result_twice(*given: Any) -> object:
        made = written(*given)
        (variants,) = made.entries.values()
        variants["Default"].lines[("nothing",)] = "grad"
        return made

    monkeypatch.setattr(export_derivatives, "write_folder", with_a_result_twice)
    assert export(tmp_path, HEAD + SIN) == (1, "")
    assert "PyTorch's loader refuses" in capsys.readouterr().err
