"""Who takes part in the comparison of overheads computes the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture(autouse=True)
def beside_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))


@pytest.mark.slow
def test_a_row_per_contender_with_ratios() -> None:
    import overhead
    from rich.console import Console

    for what, group in overhead.contenders(20).items():
        overhead.measure(group, rounds=2)
        rows = {contender.name: contender.medians() for contender in group}
        assert all(forward > 0 for forward, _ in rows.values())
        console = Console(width=200)
        with console.capture() as captured:
            console.print(overhead.table(what, rows))
        assert all(name in captured.get() for name in rows)


def test_ratios_to_every_peer_that_is_there() -> None:
    import overhead
    from rich.console import Console

    rows = {"native": (50.0, 40.0), "NumPy": (200.0, None), overhead.PEER: (1000.0, 2000.0)}
    console = Console(width=200)
    with console.capture() as captured:
        console.print(overhead.table("one operator", rows))
        console.print(overhead.table("one operator", rows | {overhead.LIBTORCH: (500.0, 1000.0)}))
    without, with_libtorch = captured.get().split("one operator")[1:]
    assert overhead.LIBTORCH not in without
    native = next(line for line in with_libtorch.splitlines() if "native" in line)
    assert [cell.strip() for cell in native.split("│")[2:-1]] == ["50", "40", "20.0", "50.0", "10.0", "25.0"]
    numpy = next(line for line in with_libtorch.splitlines() if "NumPy" in line)
    assert "5.0" in numpy
    assert "2.5" in numpy


@pytest.mark.slow
@pytest.mark.compiler
def test_the_chain_on_libtorch_has_a_sample_per_round(capfd: pytest.CaptureFixture[str]) -> None:
    import overhead_libtorch

    program = overhead_libtorch.libtorch()
    if program is None:
        assert f"{overhead_libtorch.LIBTORCH}: skipped" in capfd.readouterr().out
    else:
        assert len(overhead_libtorch.samples(program, 20, 4)) == 4
        assert min(overhead_libtorch.measure_libtorch(20, 4)) > 0


def test_chains_of_both_engines_have_the_gradient_of_a_product() -> None:
    import overhead

    from pullback.engine.core.dispatch import available

    for engine in available():
        contender = overhead.ours(engine, None, 5)
        (gradient,) = contender.backward(contender.forward())
        np.testing.assert_array_equal(gradient.numpy(), overhead.ONES)
