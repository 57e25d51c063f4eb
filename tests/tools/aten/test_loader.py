"""Tables of other versions of PyTorch, each read by the loader that comes with it."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

pytest.importorskip("tree_sitter_cpp")
pytest.importorskip("torchgen")

from pullback.tools.aten.loader import loader_of
from pullback.tools.aten.table import packaged
from pullback.tools.cli import main

pytestmark = pytest.mark.torch

# Wheels of PyTorch, or tables in folders of it, as many as there are.
OTHERS = [path for path in os.environ.get("PULLBACK_OTHER_PYTORCH", "").split(os.pathsep) if path]

# Functions of a PyTorch that has a type which the installed one does not have.
FUNCTIONS = """
- func: rename(Tensor self, FormerName[]? names) -> Tensor
  variants: function, method

- func: former(Tensor self, Tensor? weight=None, bool? train=None) -> Tensor
  variants: function, method

- func: sin(Tensor self) -> Tensor
  variants: function, method

- func: cos(Tensor self) -> Tensor
  variants: function, method

- func: conj(Tensor(a) self) -> Tensor(a)
  variants: function, method
"""
# A method that became a function.
TABLE = """
- name: former(Tensor self, Tensor? weight=None, bool? train=None) -> Tensor
  self: former_backward(grad, weight, !train)
  result: former_jvp(self_t, self_p.is_contiguous() && !self_p.is_complex())

- name: sin(Tensor self) -> Tensor
  self: grad * self.cos()
  result: auto_element_wise
"""


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    return wheel_of(TABLE, tmp_path)


def wheel_of(table: str, folder: Path) -> Path:
    path = folder / "torch-0.9.0-py3-none-any.whl"
    root = packaged().parent.parent
    with ZipFile(path, "w") as made:
        for file in packaged().parent.rglob("*.py"):
            text = file.read_text(encoding="utf-8")
            if file.name == "model.py":
                known = "class BaseTy(Enum):\n"
                assert known in text
                text = text.replace(known, f"{known}    FormerName = auto()\n")
            made.writestr(file.relative_to(root).as_posix(), text)
        inside = "torchgen/packaged"
        made.writestr(f"{inside}/ATen/native/tags.yaml", (packaged() / "ATen/native/tags.yaml").read_text())
        made.writestr(f"{inside}/ATen/native/native_functions.yaml", FUNCTIONS)
        made.writestr(f"{inside}/autograd/derivatives.yaml", table)
        made.writestr("torch/version.py", "__version__ = '0.9.0'\n")
    return path


def test_a_wheel_is_read_by_its_own_loader(
    wheel: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert main(["import-derivatives", str(wheel), "-o", str(out)]) == 0
    assert (
        capsys.readouterr().out == "2 of 2 entries are read; of 4 formulas 4 are written, 4 of them clean\n"
    )
    text = (out / "pointwise.py").read_text(encoding="utf-8")
    assert "of derivatives of PyTorch 0.9.0." in text
    assert "former_backward(grad, weight, train is None)" in text
    assert "former_jvp(self_t, aten.is_contiguous(self_p) and not aten.is_complex(self_p))" in text


def test_a_table_in_a_folder_of_pytorch_is_read_by_the_loader_there(
    wheel: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    table = tmp_path / "torchgen" / "packaged" / "autograd" / "derivatives.yaml"
    assert main(["import-derivatives", str(table), "--no-lint"]) == 0
    assert capsys.readouterr().out.startswith("2 of 2 entries are read")


def test_what_is_new_to_the_import_is_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = wheel_of(TABLE.replace("grad * self.cos()", "grad % self.cos()"), tmp_path)
    assert main(["import-derivatives", str(path), "--no-lint"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "sin (Default): no rule for the operator `%`",
        "1 of 2 entries are read; of 4 formulas 2 are written",
    ]


def test_the_installed_loader_is_back_behind_the_block(wheel: Path) -> None:
    import torchgen.model

    with loader_of(wheel):
        from torchgen.model import BaseTy

        assert "FormerName" in BaseTy.__members__
    assert sys.modules["torchgen.model"] is torchgen.model
    assert "FormerName" not in torchgen.model.BaseTy.__members__


@pytest.mark.parametrize("name", ["other-1.0-py3-none-any.whl", "torn.whl", "absent.whl"])
def test_a_file_that_is_no_wheel_of_pytorch_is_misuse(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with ZipFile(tmp_path / "other-1.0-py3-none-any.whl", "w") as other:
        other.writestr("other/__init__.py", "")
    (tmp_path / "torn.whl").write_text("torn")
    assert main(["import-derivatives", str(tmp_path / name)]) == 2
    message = "has no table of derivatives" if name.startswith("other") else "cannot read"
    assert message in capsys.readouterr().err


@pytest.mark.skipif(not OTHERS, reason="PULLBACK_OTHER_PYTORCH names no wheels or tables of PyTorch")
@pytest.mark.parametrize("path", OTHERS)
def test_every_entry_of_another_pytorch_is_read(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["import-derivatives", path, "--format", "json"]) == 0
    counts = json.loads(capsys.readouterr().out)
    assert counts["read"] == counts["entries"] > 600
    assert counts["clean"] == counts["emitted"] == counts["formulas"] > 1000
