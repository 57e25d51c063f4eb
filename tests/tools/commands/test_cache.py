"""``pullback cache``: what it counts, and that clearing it leaves nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from pullback.engine.kernels import cache
from pullback.tools.cli import main


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PULLBACK_CACHE", str(tmp_path))


def test_entries_are_counted_and_cleared(capsys: pytest.CaptureFixture[str]) -> None:
    cache.entry("key", lambda target: target.write_bytes(b"library") and None)
    assert main(["cache"]) == 0
    assert capsys.readouterr().out.startswith(f"{cache.folder()}: 1 compiled kernel, 0.0 MB\n")
    assert main(["cache", "--clear"]) == 0
    assert capsys.readouterr().out.startswith(f"{cache.folder()}: removed 1 compiled kernel\n")
    assert not cache.folder().exists()


def test_an_empty_cache_can_be_cleared(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cache", "--clear"]) == 0
    assert "removed 0 compiled kernels" in capsys.readouterr().out
