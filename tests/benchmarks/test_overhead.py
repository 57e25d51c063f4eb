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


def test_chains_of_both_engines_have_the_gradient_of_a_product() -> None:
    import overhead

    from pullback.engine.dispatch import available

    for engine in available():
        contender = overhead.ours(engine, None, 5)
        (gradient,) = contender.backward(contender.forward())
        np.testing.assert_array_equal(gradient.numpy(), overhead.ONES)
