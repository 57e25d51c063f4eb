"""Instructions are counted, and read from what Valgrind writes."""

from __future__ import annotations

from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture(autouse=True)
def beside_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))


@pytest.mark.parametrize("line", ["summary: 1234", "totals: 1234"])
def test_the_sum_of_a_process(line: str) -> None:
    import instructions

    assert instructions.total(f"events: Ir\nfn=(1) main\n7 1000\n{line}\n") == 1234


def test_a_file_without_a_sum_is_refused() -> None:
    import instructions

    with pytest.raises(ValueError, match="no sum"):
        instructions.total("events: Ir\n")


def test_what_only_a_first_process_does_is_not_counted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    import instructions

    written = tmp_path / "written"
    monkeypatch.setattr(instructions, "command", lambda way, rounds: ["touch", str(written)])

    def count(way: str, rounds: int) -> int:
        return instructions.LENGTH * rounds * 7 + (0 if written.exists() else 10**9)

    monkeypatch.setattr(instructions, "count", count)
    assert instructions.per_operator("forward") == 7


@pytest.mark.native
@pytest.mark.slow
def test_more_rounds_take_more_instructions() -> None:
    import instructions

    if not instructions.has_counter():
        pytest.skip("perf counts no instructions here")
    assert instructions.count("forward", 1) < instructions.count("both", 20)
