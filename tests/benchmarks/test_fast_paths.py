"""Each fast path has its case in the comparison, which runs the path that it names."""

from __future__ import annotations

from pathlib import Path

import pytest

import pullback as pb

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
pytestmark = pytest.mark.native


@pytest.fixture(autouse=True)
def beside_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))


@pytest.mark.compiler
def test_every_fast_path_has_a_case_and_takes_less_time_than_the_general_path() -> None:
    import fast_paths

    from pullback.engine.native import _native

    with pb.use_engine("native"):
        cases = list(fast_paths.cases())
        assert {case.path for case in cases} == set(_native.fast_paths())
        small = [case for case in cases if case.path in ("pointwise", "views", "set_item")]
        for case in small:
            on, off = fast_paths.measure(case, rounds=3)
            assert on < off, case


def test_a_path_is_on_again_after_an_error() -> None:
    import fast_paths

    from pullback.engine.native import _native

    with pytest.raises(KeyError), fast_paths.switched("views", False):
        raise KeyError
    with pytest.raises(ValueError, match="no fast path look"):
        _native.set_fast_path("look", True)
