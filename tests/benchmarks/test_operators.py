"""What the benchmark compares computes the same numbers."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

import pullback as pb

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture(autouse=True)
def beside_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))


def flat(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple):
        for item in value:
            yield from flat(item)
    else:
        yield value


@pytest.mark.parametrize(
    "name", ["simple", "gelu_tanh", "softplus", "lstm_cell", "layer_norm", "cross_entropy", "gp_covariance"]
)
def test_by_hand_and_by_engine_agree(name: str) -> None:
    import workloads

    workload = next(w for w in workloads.workloads(1024, np.float64) if w.name == name)
    inputs = [pb.tensor(array, requires_grad=True) for array in workload.inputs]
    results = workload.formula(*inputs)
    several = results if isinstance(results, tuple) else (results,)
    gradients = pb.grad(several, inputs, [pb.tensor(array) for array in workload.cotangents])
    got = [tensor.detach().numpy() for tensor in (*several, *gradients)]
    expected = list(flat(workload.by_hand(workload.inputs, workload.cotangents)))
    assert len(got) == len(expected)
    for mine, hand in zip(got, expected, strict=True):
        np.testing.assert_allclose(mine, hand, rtol=1e-9, atol=1e-12)


@pytest.mark.torch
def test_with_torch_agrees() -> None:
    torch = pytest.importorskip("torch")
    import workloads

    for workload in workloads.workloads(1024, np.float64):
        inputs = [torch.tensor(array, requires_grad=True) for array in workload.inputs]
        results = workload.with_torch(*inputs)
        several = results if isinstance(results, tuple) else (results,)
        gradients = torch.autograd.grad(several, inputs, [torch.tensor(a) for a in workload.cotangents])
        expected = list(flat(workload.by_hand(workload.inputs, workload.cotangents)))
        for theirs, hand in zip((*several, *gradients), expected, strict=True):
            np.testing.assert_allclose(theirs.detach().numpy(), hand, rtol=1e-9, atol=1e-12)


def test_the_table_has_every_operator_and_contender() -> None:
    import operators

    stream = io.StringIO()
    operators.report(256, "float32", 0.01, Console(file=stream, width=200))
    table = stream.getvalue()
    for word in ("gelu_tanh", "gp_covariance", "reference engine", "NumPy by hand", "1.00x"):
        assert word in table


def test_times_are_readable() -> None:
    import timing

    assert [timing.readable(t) for t in (2.5, 2.5e-3, 2.5e-6, 2.5e-9)] == [
        "2.5 s",
        "2.5 ms",
        "2.5 µs",
        "2.5 ns",
    ]
