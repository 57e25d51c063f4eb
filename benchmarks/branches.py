"""``python benchmarks/branches.py``: a backward through two towers, on one thread and on several.

`scan` are sums along an axis, twice each: a kernel that one thread runs, so that only towers side by side
are faster. `matmul` and `pointwise` are kernels that share their own work among threads too. Gradients must
be the same, bit for bit, on any number of threads. Besides times by the clock, it prints how much of the
processors' time the calling thread had: on a busy machine that tells more.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from timing import readable

import pullback as pb
import pullback.numpy as pnp

RATE = np.float32(1e-2)


@pb.compile
def _scanned(x, weight):  # type: ignore[no-untyped-def]
    return np.cumsum(np.cumsum(x * weight, axis=0), axis=0)


STOREYS: dict[str, Callable[[Any, Any], Any]] = {
    "scan": _scanned,
    "matmul": lambda x, weight: x @ weight,
    "pointwise": lambda x, weight: pnp.exp(x * weight),
}


@dataclass(frozen=True)
class Sample:
    """Seconds by the clock, of all threads, and of the calling one."""

    wall: float
    processors: float
    caller: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=1024, help="rows and columns")
    parser.add_argument("--depth", type=int, default=4, help="storeys of a tower")
    parser.add_argument("--threads", type=int, default=pb.get_num_threads())
    parser.add_argument("--rounds", type=int, default=20)
    arguments = parser.parse_args()
    threads = max(2, arguments.threads)
    table = Table(title=f"backward through two towers of {arguments.depth}, {arguments.size} squared")
    for heading in ("", "1 thread", f"{threads} threads", "times as fast", "caller's share"):
        table.add_column(heading, justify="left" if not heading else "right")
    with pb.use_engine("native"):
        for name, storey in STOREYS.items():
            one, several = measured(
                towers(storey, arguments.size, arguments.depth), threads, arguments.rounds
            )
            share = several.caller / several.processors
            faster = f"{one.wall / several.wall:.2f}"
            table.add_row(name, readable(one.wall), readable(several.wall), faster, f"{share:.0%}")
    Console(highlight=False).print(table)


def towers(storey: Callable[[Any, Any], Any], size: int, depth: int) -> Callable[[], list[Any]]:
    """The gradients of two towers of storeys, whose results are multiplied in the end."""
    rng = np.random.default_rng(0)

    def leaf() -> Any:
        values = rng.standard_normal((size, size)).astype(np.float32)
        return pb.tensor(values * RATE, requires_grad=True)

    leaves, tops = [], []
    for _ in range(2):
        top = leaf()
        leaves.append(top)
        for _ in range(depth):
            leaves.append(leaf())
            top = storey(top, leaves[-1])
        tops.append(top)
    loss = pnp.sum(tops[0] * tops[1])
    return lambda: list(pb.grad(loss, leaves, retain_graph=True))


def measured(run: Callable[[], list[Any]], threads: int, rounds: int) -> list[Sample]:
    """Medians on one thread and on several, in turns."""
    before = pb.get_num_threads()
    samples: dict[int, list[Sample]] = {1: [], threads: []}
    try:
        for count in samples:
            pb.set_num_threads(count)
            first = [gradient.numpy().copy() for gradient in run()]
            for mine, other in zip(run(), first, strict=True):
                np.testing.assert_array_equal(mine.numpy(), other)
            if count == 1:
                expected = first
        for mine, other in zip(first, expected, strict=True):
            np.testing.assert_array_equal(mine, other)
        for _ in range(rounds):
            for count, taken in samples.items():
                pb.set_num_threads(count)
                start = time.perf_counter(), time.process_time(), time.thread_time()
                run()
                end = time.perf_counter(), time.process_time(), time.thread_time()
                taken.append(Sample(*(b - a for a, b in zip(start, end, strict=True))))
    finally:
        pb.set_num_threads(before)
    fields = ("wall", "processors", "caller")
    return [
        Sample(*(statistics.median(getattr(one, field) for one in taken) for field in fields))
        for taken in samples.values()
    ]


if __name__ == "__main__":
    main()
