"""Open texts that import each other: what one says of the other is never out of date."""

from __future__ import annotations

from pathlib import Path

import pytest

from pullback.tools.server.documents import Documents

CLASS = """from torch.autograd import Function
{imported}


class Scaled(Function):
    @staticmethod
    def forward(ctx, a, b):
        t = {factor}
        ctx.save_for_backward(b, t)
        return t * b

    @staticmethod
    def backward(ctx, grad):
        b, t = ctx.saved_tensors
        return grad * b, grad * t
"""
HARMLESS = "def factor(a):\n    return a\n"
LOSING = "def factor(a):\n    return a * 2\n"


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    """Two files: their texts on the disk are empty."""
    for name in ("ops.py", "helper.py"):
        (tmp_path / name).write_text("")
    return str(tmp_path / "ops.py"), str(tmp_path / "helper.py")


def _codes(documents: Documents, path: str, text: str) -> list[str]:
    documents.update(path, text)
    return [finding.code for finding in documents.shown(path)]


def test_a_change_of_an_open_module_reaches_what_imports_it(files: tuple[str, str]) -> None:
    ops, helper = files
    documents = Documents()
    text = CLASS.format(imported="from helper import factor", factor="factor(a)")
    documents.update(helper, HARMLESS)
    assert _codes(documents, ops, text) == []
    documents.update(helper, LOSING)
    assert _codes(documents, ops, text) == ["PB101"]
    documents.update(helper, HARMLESS)
    assert _codes(documents, ops, f"{text}# changed\n") == []


def test_a_change_reaches_a_class_through_a_module_that_imports_its_file(files: tuple[str, str]) -> None:
    ops, helper = files
    documents = Documents()
    text = CLASS.format(imported="from helper import factor\n\n{inner}", factor="factor(a)")
    documents.update(helper, "from ops import inner as factor\n")
    for inner, found in ((HARMLESS, []), (LOSING, ["PB101"]), (HARMLESS, [])):
        assert _codes(documents, ops, text.format(inner=inner.replace("factor", "inner"))) == found


def test_a_file_that_was_written_counts(files: tuple[str, str]) -> None:
    ops, helper = files
    documents = Documents()
    text = CLASS.format(imported="from helper import factor", factor="factor(a)")
    Path(helper).write_text(HARMLESS)
    assert _codes(documents, ops, text) == []
    Path(helper).write_text(LOSING)
    documents.files_changed()
    assert _codes(documents, ops, text) == ["PB101"]
