"""Every contender takes the same step of training."""

from __future__ import annotations

from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture(autouse=True)
def beside_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))


@pytest.mark.parametrize("name", ["mlp", "transformer"])
def test_the_engines_take_the_same_step(name: str) -> None:
    import training
    from models import mlp_task, transformer_task

    task = mlp_task(3) if name == "mlp" else transformer_task(2, length=4, width=8)
    steps = dict(training.contenders(task, ()))
    training.check({name: step for name, step in steps.items() if "compiled" not in name})


@pytest.mark.slow
@pytest.mark.compiler
@pytest.mark.torch
@pytest.mark.filterwarnings("ignore::DeprecationWarning:torch")
@pytest.mark.parametrize("name", ["mlp", "transformer"])
@pytest.mark.usefixtures("inductor")
def test_everyone_takes_the_same_step(name: str) -> None:
    import training
    from models import mlp_task, transformer_task

    task = mlp_task(3) if name == "mlp" else transformer_task(2, length=4, width=8)
    training.check(dict(training.contenders(task, ("torch", "jax"))))


def test_a_step_that_differs_is_called_out() -> None:
    import training

    with pytest.raises(AssertionError, match="other"):
        training.check({"one": lambda: 1.0, "other": lambda: 1.1})
