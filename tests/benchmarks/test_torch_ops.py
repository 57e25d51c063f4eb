"""Every form of a custom operator of PyTorch has the same gradients, and a line names all of them."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

import pytest

pytest.importorskip("torch")

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture(autouse=True)
def beside_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.torch.jit:DeprecationWarning")
@pytest.mark.torch
@pytest.mark.compiler
@pytest.mark.usefixtures("inductor")
def test_contenders_agree_and_a_row_names_each() -> None:
    import torch_ops
    from rich.console import Console
    from workloads import workloads

    simple = next(each for each in workloads(16) if each.name == "simple")
    everyone = torch_ops.contenders(simple, torch_ops.forms_of({"simple": simple.formula}))
    torch_ops.agree(everyone)
    assert {torch_ops.OURS, torch_ops.CPP, torch_ops.PYTHON, torch_ops.COMPILE} <= set(everyone)
    arguments = Namespace(processor_time=True, rounds=2, threads=1)
    lines = {mode: torch_ops.measured(everyone, mode, arguments) for mode in torch_ops.MODES}
    console = Console(width=200)
    with console.capture() as captured:
        console.print(torch_ops.table("simple", lines))
    assert all(name in captured.get() for name in everyone)


@pytest.mark.torch
def test_gradients_that_differ_are_refused() -> None:
    import torch
    import torch_ops
    from workloads import workloads

    simple = next(each for each in workloads(4) if each.name == "simple")
    everyone = {
        torch_ops.EAGER: torch_ops.runs(simple, simple.with_torch),
        "wrong": torch_ops.runs(simple, lambda a, b: (a + b) * b.detach()),
    }
    with pytest.raises(AssertionError, match="wrong: "):
        torch_ops.agree(everyone)
    everyone["wrong"] = torch_ops.runs(simple, torch_ops.Simple.apply)
    torch_ops.agree(everyone)
    assert torch.is_grad_enabled()
