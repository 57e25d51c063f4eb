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


@pytest.mark.compiler
def test_chains_tell_time_and_memory(monkeypatch: pytest.MonkeyPatch, own_cache: Path) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import chains
    import compile_time

    found = chains.inside("rows", 12, own_cache)
    assert 0 < found["wall"] < 60
    assert 10 < found["memory"] < 10_000
    text = compile_time._chain_table({("rows", 100): found, ("rows", 400): found})
    assert list(text.columns[2].cells)[2] == "1.0"


@pytest.mark.parametrize(("kind", "means"), [("pointwise", 0), ("rows", 80)])
def test_a_chain_has_a_statement_for_each_of_its_length(
    monkeypatch: pytest.MonkeyPatch, kind: str, means: int
) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import chains

    text = chains.text(kind, 400)
    assert text.count(" = ") == 400
    assert text.count("np.mean") == means
