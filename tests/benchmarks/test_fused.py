"""The peers compute what the formulas do, and a line names everyone who ran."""

from __future__ import annotations

import importlib
import io
from argparse import Namespace
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture(autouse=True)
def beside_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))


def flat(value: object) -> list[np.ndarray]:
    if isinstance(value, (tuple, list)):
        return [array for item in value for array in flat(item)]
    return [np.asarray(value)]


@pytest.mark.slow
@pytest.mark.parametrize("peer", ["jax", "numba"])
def test_peers_compute_the_same(peer: str) -> None:
    pytest.importorskip(peer)
    import workloads

    module = importlib.import_module(f"by_{peer}")
    for workload in workloads.workloads(512):
        ways = module.contenders(workload)
        if "together" not in ways:
            continue
        expected = flat(workload.by_hand(workload.inputs, workload.cotangents))
        results = flat(ways["together"]())
        for one, other in zip(results, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=2e-3, atol=2e-4)
        for one, other in zip(flat(ways["forward"]()), expected, strict=False):
            np.testing.assert_allclose(one, other, rtol=2e-3, atol=2e-4)


@pytest.mark.compiler
@pytest.mark.skipif(not hasattr(__import__("os"), "sched_getaffinity"), reason="needs processor affinity")
def test_a_line_has_the_ratios(monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    import fused

    monkeypatch.setattr(os, "sched_setaffinity", lambda *_: None)
    stream = io.StringIO()
    arguments = Namespace(
        operators=["simple"],
        sizes=[256],
        modes=["forward", "backward", "together", "double"],
        peers=[],
        engine="reference",
        rounds=5,
        processor_time=False,
    )
    fused.report(arguments, 1, Console(file=stream, width=200))
    text = stream.getvalue()
    assert "both as one program" in text
    assert "with second gradients" in text
    assert "%" in text


def test_a_size_ends_with_the_mean_over_all_first_gradients() -> None:
    import fused

    lines = [
        fused.Line("simple", 10, mode, {fused.OURS: 1.0, "jax.jit": ratio}, 1)
        for mode, ratio in (("forward", 2.0), ("together", 8.0), ("double", 100.0))
    ]
    said = list(fused._summary(lines))
    assert said[-1] == "geometric means, 1e+01, all but second gradients: times as fast as jax.jit 4.00"
    assert len(said) == 4
