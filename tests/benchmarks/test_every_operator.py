"""The operators that are compared with torch's give its values and gradients; the table names the slowest."""

from __future__ import annotations

from pathlib import Path

import pytest

import pullback as pb
from pullback.transpile.operators import OPERATORS

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
pytestmark = [
    pytest.mark.torch,
    pytest.mark.native,
]


@pytest.fixture(autouse=True)
def beside_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    monkeypatch.syspath_prepend(str(BENCHMARKS))


def test_every_operator_of_torch_is_a_case_or_left_out_by_name() -> None:
    import every_operator

    names = {case.name for case in every_operator.cases(4)}
    differentiable = {o.name for o in OPERATORS.values() if o.torch and o.derivative == "formula"}
    assert differentiable >= every_operator.LEFT_OUT
    assert differentiable - every_operator.LEFT_OUT <= names
    assert len(names) > 100


@pytest.mark.parametrize("name", ["softmax", "concatenate", "x[1]", "np.where(mask, x, y)", "multiply"])
def test_values_are_compared_and_both_ways_timed(name: str) -> None:
    import every_operator

    with pb.use_engine("native"):
        (case,) = [case for case in every_operator.cases(4) if case.name == name]
        measured = every_operator.measure(case, seconds=0.001)
        assert min(*measured.forward, *measured.backward, *measured.ratios) > 0
        wrong = case._replace(peer=lambda *x: case.peer(*x) * 2)
        with pytest.raises(AssertionError, match="Not equal"):
            every_operator.measure(wrong, seconds=0.001)


def test_what_torch_has_not_is_timed_alone() -> None:
    import every_operator

    with pb.use_engine("native"):
        (case,) = [case for case in every_operator.cases(4) if case.name == "np.cbrt(x)"]
        measured = every_operator.measure(case, seconds=0.001)
    assert not measured.has_peer
    assert min(measured.forward[0], measured.backward[0]) > 0
    with_peer = every_operator.Measured("x", (1e-6, 5e-7), (1e-6, 2e-6))
    assert list(every_operator.summary(4, [measured, with_peer])) == [
        "forward: torch / this 0.50 in the mean of 1, 1 below 1.0",
        "backward: torch / this 2.00 in the mean of 1, 0 below 1.0",
    ]


def test_the_slowest_come_first() -> None:
    import every_operator
    from rich.console import Console

    rows = [
        every_operator.Measured("fast", (1e-7, 1e-6), (1e-7, 1e-6)),
        every_operator.Measured("slow[0]", (1e-6, 1e-6), (4e-6, 1e-6)),
    ]
    console = Console(width=100)
    with console.capture() as captured:
        console.print(every_operator.table(4, rows, 2))
    text = captured.get()
    assert text.index("slow[0]") < text.index("fast")
    assert "0.25" in text
