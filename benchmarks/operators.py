"""``python benchmarks/operators.py``: the operators, forward and first backward, in several ways.

The reference engine, the native engine, the compiled operator, NumPy by hand, and torch where it is
installed, interleaved in one run. Prints medians, and how many times as fast as NumPy by hand each is, for
small arrays (where the engine's overhead counts) and for large ones (where the kernels do).
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from timing import Timing, interleaved, readable
from workloads import Workload, workloads

import pullback as pb
from pullback.engine.core.dispatch import available
from pullback.engine.core.errors import CompilerError
from pullback.engine.kernels import find_compiler

BASE = "NumPy by hand"
DTYPES = {"float32": np.float32, "float64": np.float64}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--size", type=int, nargs="+", default=[64, 1 << 18], help="elements of the largest array"
    )
    parser.add_argument("--dtype", choices=tuple(DTYPES), default="float32")
    parser.add_argument("--seconds", type=float, default=2.0, help="time for each operator")
    arguments = parser.parse_args()
    for size in arguments.size:
        report(size, arguments.dtype, arguments.seconds)


def report(size: int, dtype: str, seconds: float, console: Console | None = None) -> None:
    """Measure all workloads and print the table."""
    console = console or Console(highlight=False)
    measured = {}
    for workload in workloads(size, DTYPES[dtype]):
        with console.status(f"timing {workload.name}"):
            measured[workload.name] = interleaved(dict(contenders(workload)), seconds=seconds)
    console.print(_table(measured, f"forward and backward, {size} elements, {dtype}"))


def contenders(workload: Workload) -> Iterator[tuple[str, Callable[[], object]]]:
    """Every way that this machine has to run the operator and its first backward."""
    for engine in available():
        yield f"{engine} engine", _recorded(workload, engine, workload.formula)
    if has_compiler():
        yield "compiled", _recorded(workload, available()[-1], pb.compile(workload.formula, order=1))
    yield BASE, lambda: workload.by_hand(workload.inputs, workload.cotangents)
    if find_spec("torch") is not None:
        yield "torch", _in_torch(workload)


def has_compiler() -> bool:
    try:
        find_compiler()
    except CompilerError:
        return False
    return True


def _recorded(workload: Workload, engine: str, function: Callable[..., Any]) -> Callable[[], object]:
    with pb.use_engine(engine):
        inputs = [pb.tensor(array, requires_grad=True) for array in workload.inputs]
        cotangents = [pb.tensor(array) for array in workload.cotangents]

    def run() -> object:
        with pb.use_engine(engine):
            results = function(*inputs)
            several = results if isinstance(results, tuple) else (results,)
            return pb.grad(several, inputs, cotangents)

    return run


def _in_torch(workload: Workload) -> Callable[[], object]:
    import torch

    torch.set_num_threads(1)  # as all others here
    inputs = [torch.tensor(array, requires_grad=True) for array in workload.inputs]
    cotangents = [torch.tensor(array) for array in workload.cotangents]

    def run() -> object:
        results = workload.with_torch(*inputs)
        several = results if isinstance(results, tuple) else (results,)
        return torch.autograd.grad(several, inputs, cotangents)

    return run


def _table(measured: dict[str, dict[str, Timing]], title: str) -> Table:
    names = list(dict.fromkeys(name for timings in measured.values() for name in timings))
    table = Table(title=f"{title}\nmedian, and times as fast as {BASE}")
    table.add_column("operator")
    for name in names:
        table.add_column(name, justify="right")
    for operator, timings in measured.items():
        base = timings[BASE].median
        cells = [f"{readable(t.median)} {base / t.median:5.2f}x" for t in timings.values()]
        table.add_row(operator, *cells)
    return table


if __name__ == "__main__":
    main()
