"""PyTorch's table is imported at first use, once, and the folder of caches has all of it or nothing."""

from __future__ import annotations

import sys

import pytest

pytestmark = pytest.mark.torch
pytest.importorskip("torch")

from pullback.formulas.aten import MissingDerivativeError  # noqa: E402 - where torch is
from pullback.torch.autograd.imported import imported_formulas  # noqa: E402 - where torch is


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("PULLBACK_CACHE", str(tmp_path))
    return tmp_path / "derivatives"


@pytest.mark.slow
def test_the_table_is_imported_once(cache, imported_table, capsys):
    folder = imported_formulas.__wrapped__()
    assert "importing the derivatives of PyTorch" in capsys.readouterr().err
    assert list(cache.iterdir()) == [folder]
    assert {path.name: path.read_text() for path in folder.glob("*")} == {
        path.name: path.read_text() for path in imported_table.glob("*.py")
    }
    assert imported_formulas.__wrapped__() == folder
    assert capsys.readouterr().err == ""


def test_a_failed_import_leaves_nothing(cache, tmp_path, monkeypatch):
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho the reason >&2\nexit 2\n")
    python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))
    with pytest.raises(MissingDerivativeError, match="could not be imported: the reason"):
        imported_formulas.__wrapped__()
    assert list(cache.iterdir()) == []
