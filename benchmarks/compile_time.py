"""``python benchmarks/compile_time.py``: how long `pb.compile` takes, cold and from the cache.

Each operator is compiled with its first and second backward, for float32, until its first result is there:
transpiled, compiled by the machine's compiler, loaded and called. Every sample is a process of its own that
has imported everything; the cache is a new folder that holds only what formulas share: the functions that
kernels call, and the derivatives of the package's operators, which are made once per machine. Prints medians
over the rounds, of processor time (which other programs that run do not change) and of wall time:

    transpile   processor time of this process where nothing was in the cache
    compiler    processor time of the compilers: there are two at the same time where there are two processors
    cold        wall time of all that
    cached      processor and wall time of a new process where all was in the cache
    again       wall time of another `pb.compile` of the same formula in that process

    python benchmarks/compile_time.py --operators simple gelu_tanh --rounds 3

Then straight chains of 25 to 400 statements (`chains.py`), forward and backward, on a cold cache: wall
and processor time, the memory of the largest process, and how much more 400 statements take than 100.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import chains
import numpy as np
from rich.console import Console
from rich.table import Table
from workloads import workloads

import pullback as pb

OPERATORS = ("simple", "gelu_tanh", "softplus", "lstm_cell", "layer_norm", "cross_entropy", "gp_covariance")
SIZE = 1 << 14  # of the largest array: rows of 256
COLUMNS = ("transpile", "compiler", "cold", "cached cpu", "cached wall", "again")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--operators", nargs="*", choices=OPERATORS, default=OPERATORS)
    parser.add_argument("--chains", nargs="*", type=int, default=chains.LENGTHS, metavar="STATEMENTS")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--inside", choices=OPERATORS, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.inside:
        print(json.dumps(inside(arguments.inside)))
        return
    console = Console(highlight=False)
    if arguments.operators:
        console.print(_table(measured(arguments.operators, arguments.rounds)))
    if arguments.chains:
        console.print(_chain_table(chains.samples(arguments.chains)))


def measured(operators: tuple[str, ...], rounds: int) -> dict[str, dict[str, float]]:
    """Seconds by operator and column: medians over the rounds, in which the operators take turns."""
    samples: dict[str, list[dict[str, float]]] = {name: [] for name in operators}
    with tempfile.TemporaryDirectory() as folder:
        for name in operators:  # makes what formulas share
            _sample(name, folder)
        for _ in range(rounds):
            for name in operators:
                samples[name].append(_round(name, Path(folder)))
    return {
        name: {column: statistics.median(sample[column] for sample in taken) for column in COLUMNS}
        for name, taken in samples.items()
    }


def _round(name: str, folder: Path) -> dict[str, float]:
    """One operator, once with nothing of formulas in the cache and once with everything."""
    for pattern in ("*.so", "*.kernels"):
        for file in folder.rglob(pattern):
            file.unlink()
    cold, cached = _sample(name, str(folder)), _sample(name, str(folder))
    return {
        "transpile": cold["own"],
        "compiler": cold["children"],
        "cold": cold["wall"],
        "cached cpu": cached["own"],
        "cached wall": cached["wall"],
        "again": cached["again"],
    }


def _sample(name: str, folder: str) -> dict[str, float]:
    said = subprocess.run(
        [sys.executable, __file__, "--inside", name],
        env={**os.environ, "PULLBACK_CACHE": folder, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=True,
    )
    return dict(json.loads(said.stdout))


def inside(name: str) -> dict[str, float]:
    """What this process takes to compile an operator, for the first time and once more."""
    workload = next(w for w in workloads(SIZE, np.float32) if w.name == name)
    formula = workload.formula

    def compiled() -> object:
        return pb.compile(formula)(*workload.inputs)

    found = timed(compiled)
    return {**found, "again": timed(compiled)["wall"]}


def timed(run: Callable[[], object]) -> dict[str, float]:
    """Seconds of wall time, of this process's processor time, and of its children's."""
    own, children, wall = time.process_time(), _children(), time.perf_counter()
    run()
    return {
        "wall": time.perf_counter() - wall,
        "own": time.process_time() - own,
        "children": _children() - children,
    }


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _table(seconds: dict[str, dict[str, float]]) -> Table:
    table = Table(title="pb.compile with two backwards, float32, milliseconds")
    table.add_column("operator")
    for column in COLUMNS:
        table.add_column(column, justify="right")
    for name, found in seconds.items():
        table.add_row(name, *(f"{1e3 * found[column]:.1f}" for column in COLUMNS))
    if len(seconds) > 1:
        medians = (statistics.median(found[column] for found in seconds.values()) for column in COLUMNS)
        table.add_row("median", *(f"{1e3 * median:.1f}" for median in medians), style="bold")
    return table


def _chain_table(found: dict[tuple[str, int], dict[str, float]]) -> Table:
    table = Table(title="pb.compile of chains, forward and backward")
    table.add_column("chain")
    for column in ("statements", "seconds", "cpu", "MB"):
        table.add_column(column, justify="right")
    for (kind, length), taken in found.items():
        seconds = (f"{taken[column]:.2f}" for column in ("wall", "cpu"))
        table.add_row(kind, str(length), *seconds, f"{taken['memory']:.0f}")
    for kind in chains.KINDS:
        if (kind, 100) in found and (kind, 400) in found:
            times = (f"{found[kind, 400][of] / found[kind, 100][of]:.1f}" for of in ("wall", "cpu"))
            table.add_row(kind, "400 / 100", *times, style="bold")
    return table


if __name__ == "__main__":
    main()
