"""``python benchmarks/training.py``: a step of training, beside PyTorch and JAX, interleaved in one run.

An MLP at batch 1, where the engine's overhead counts, and at batch 128, where the products of matrices do;
and a block of a transformer. float32, SGD, forward and backward and the update. Prints medians, and how many
times as fast as each other the native engine is. Before anything is timed, all must agree on the loss after
three steps.

On a machine where others work, `--threads 1 --processor-time` compares what a step costs one processor.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec

import numpy as np
from models import (
    FusedOps,
    PlainOps,
    Step,
    Task,
    jax_step,
    mlp_task,
    pullback_step,
    torch_step,
    transformer_task,
)
from operators import has_compiler
from rich.console import Console
from rich.table import Table
from timing import Timing, interleaved, left_out, readable

from pullback.engine.core.dispatch import available
from pullback.engine.native._native import blas_library

OURS = "native"
TASKS = {
    "mlp-1": lambda: mlp_task(1),
    "mlp-128": lambda: mlp_task(128),
    "transformer-1": lambda: transformer_task(1),
    "transformer-16": lambda: transformer_task(16),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tasks", nargs="+", choices=tuple(TASKS), default=tuple(TASKS))
    parser.add_argument("--peers", nargs="*", choices=("torch", "jax"), default=("torch", "jax"))
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=30.0, help="at most, for each task")
    parser.add_argument("--threads", type=int, help="of everyone; the default is each one's own")
    parser.add_argument("--processor-time", action="store_true", help="instead of the clock's")
    arguments = parser.parse_args()
    console = Console(highlight=False)
    allowed = sorted(os.sched_getaffinity(0))
    if arguments.threads and len(allowed) > arguments.threads:
        # Everyone counts the processors that this may use, NumPy when it is imported.
        os.sched_setaffinity(0, allowed[: arguments.threads])
        os.execv(sys.executable, [sys.executable, *sys.argv])
    console.print(f"products by {blas_library() or 'NumPy'}", *_kernels_of_openblas())
    for line in left_out(arguments.peers):
        console.print(line)
    clock = time.process_time if arguments.processor_time else time.perf_counter
    for name in arguments.tasks:
        task = TASKS[name]()
        steps = dict(contenders(task, arguments.peers))
        check(steps)
        with console.status(f"timing {task.name}"):
            # A step of some milliseconds has the caches as it left them after several, as in training. The
            # reference engine's products leave NumPy's threads awake for 30 ms.
            timings = interleaved(
                steps, arguments.rounds, arguments.seconds, least=0.02, clock=clock, pause=0.04
            )
        console.print(_table(task.name, timings))


def _kernels_of_openblas() -> list[str]:
    wanted = os.environ.get("OPENBLAS_CORETYPE")
    return (
        [f"(OPENBLAS_CORETYPE={wanted}, which slows it where it is not this processor's)"] if wanted else []
    )


def contenders(task: Task, peers: tuple[str, ...]) -> Iterator[tuple[str, Step]]:
    """Everyone who can take this step here."""
    for engine in available():
        yield engine, pullback_step(task, engine, PlainOps)
    if has_compiler():
        yield f"{available()[-1]}, layer norm compiled", pullback_step(task, available()[-1], FusedOps())
    if "torch" in peers and find_spec("torch") is not None:
        yield "torch eager", torch_step(task, compiled=False)
        yield "torch.compile", torch_step(task, compiled=True)
    if "jax" in peers and find_spec("jax") is not None:
        yield "jax.jit", jax_step(task)


def check(steps: dict[str, Step]) -> None:
    """Raise where two of them don't compute the same: a fast wrong step is no step."""
    losses = {name: [_number(step()) for _ in range(3)] for name, step in steps.items()}
    first = next(iter(losses.values()))
    for name, loss in losses.items():
        np.testing.assert_allclose(loss, first, rtol=2e-3, err_msg=name)


def _number(loss: object) -> float:
    detach = getattr(loss, "detach", None)
    return float(np.asarray(detach() if detach is not None else loss))


def _table(title: str, timings: dict[str, Timing]) -> Table:
    table = Table(title=f"{title}: one step of SGD")
    for heading in ("", "median", f"times as fast is {OURS}"):
        table.add_column(heading, justify="left" if not heading else "right")
    for name, timing in timings.items():
        table.add_row(name, readable(timing.median), f"{timing.median / timings[OURS].median:.2f}")
    return table


if __name__ == "__main__":
    main()
