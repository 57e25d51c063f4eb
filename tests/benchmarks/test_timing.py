"""Contenders take turns, and what is measured is theirs alone."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture(autouse=True)
def beside_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))


def test_each_contender_runs_in_each_round() -> None:
    from timing import interleaved

    calls: list[str] = []
    contenders = {name: lambda name=name: calls.append(name) for name in "abc"}
    ticks = itertools.count()
    timings = interleaved(contenders, rounds=6, seconds=60.0, clock=lambda: float(next(ticks)))
    assert {timing.median for timing in timings.values()} == {1.0}
    rounds = [calls[k : k + 3] for k in range(6, len(calls), 3)]  # two calls of each come before
    assert len(rounds) == 6
    assert all(sorted(names) == ["a", "b", "c"] for names in rounds)
    assert len({tuple(names) for names in rounds}) > 1


def test_a_turn_begins_with_runs_that_are_not_measured() -> None:
    from timing import interleaved

    events: list[str] = []

    def clock() -> float:
        events.append("clock")
        return float(len(events))

    interleaved({"one": lambda: events.append("run")}, rounds=5, seconds=60.0, least=1e-4, clock=clock)
    marks = [at for at, event in enumerate(events) if event == "clock"]
    assert len(marks) == 2 * 5
    for begin, end in zip(marks[::2], marks[1::2], strict=True):
        assert events[begin - 2 : begin] == ["run", "run"]
        assert end > begin + 1


def test_one_round_is_its_own_quartiles() -> None:
    from timing import Timing, interleaved

    ticks = itertools.count()
    timings = interleaved({"one": lambda: None}, rounds=1, clock=lambda: float(next(ticks)))
    assert timings == {"one": Timing(1.0, 1.0, 1.0)}


def test_contenders_that_are_not_installed_are_named() -> None:
    from timing import left_out

    assert left_out(["numpy", "no_such_package"]) == ["not installed, and left out: no_such_package"]
    assert left_out(["numpy"]) == []
