"""The benchmark of the language server: every change of its file of autograd functions is answered."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


def test_each_change_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import server

    monkeypatch.setattr(server, "CHANGES", 3)
    text = server.filled(40, "import torch\n", server.CLASS)
    assert text.count("class ") == 3
    assert len(asyncio.run(server.latencies(text))) == 3
    assert server.computing(text) > 0
