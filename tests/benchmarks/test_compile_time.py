"""The benchmark of compiling measures what it says."""

from __future__ import annotations

from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.mark.compiler
def test_a_cached_formula_runs_no_compiler(monkeypatch: pytest.MonkeyPatch, own_cache: Path) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import compile_time

    cold, cached = compile_time.inside("softplus"), compile_time.inside("softplus")
    assert cold["children"] > 0.02
    assert cached["children"] == 0
    assert cached["wall"] < cold["wall"]
    text = compile_time._table({"softplus": dict.fromkeys(compile_time.COLUMNS, 0.25)})
    assert text.row_count == 1
