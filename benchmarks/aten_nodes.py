"""``python benchmarks/aten_nodes.py FOLDER``: nodes in C++ from the formulas beside PyTorch's own.

FOLDER is what `pullback export-derivatives --target aten` wrote. Of each entry of `op_db` that records nodes
of the library, the first such sample runs forward and backward, by the library and by PyTorch in turn, on one
thread; cells are medians in microseconds, and the ratio is PyTorch's time over the library's.
"""

from __future__ import annotations

import argparse
import math
import statistics
import time
import warnings
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import torch
from rich.console import Console
from rich.table import Table

from pullback.torch.autograd.comparing import Program, entries, sample_program
from pullback.torch.derivatives.calls import samples_of
from pullback.torch.nodes import Library, load
from pullback.torch.nodes.comparing import node_operators

SAMPLES, RUNS = 3, 20


def main() -> None:
    """Print a table, and the geometric mean of its ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--entry", action="append", help="names of entries; default: all")
    parser.add_argument("--rounds", type=int, default=15, help="default: %(default)s")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    library = load(arguments.folder)
    table = Table("entry", "operators", "PyTorch (µs)", "library (µs)", "ratio")
    ratios = []
    for info in entries(torch.float64):
        if arguments.entry and info.formatted_name not in arguments.entry:
            continue
        found = recorded_sample(library, info)
        if found is None:
            continue
        sample, names = found
        run = forward_and_backward(sample)
        own, ours = medians(run, library, arguments.rounds)
        ratios.append(own / ours)
        cells = f"{own * 1e6:.1f}", f"{ours * 1e6:.1f}"
        table.add_row(info.formatted_name, " ".join(sorted(names)), *cells, f"{ratios[-1]:.2f}")
    Console().print(table)
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"{len(ratios)} entries; geometric mean {mean:.2f}, least {min(ratios):.2f}")


def recorded_sample(library: Library, info: Any) -> tuple[Program, set[str]] | None:
    """The first sample that PyTorch can differentiate and the library has nodes of, with their names."""
    for given in samples_of(info, torch.float64, SAMPLES):
        sample = sample_program(info, given)
        try:
            forward_and_backward(sample)()
            with library.on():
                names = node_operators(sample.results(sample.inputs()))
        except Exception:
            continue  # PyTorch has no derivative of it
        if names:
            return sample, names
    return None


def medians(run: Callable[[], object], library: Library, rounds: int) -> tuple[float, float]:
    """Seconds of a run by PyTorch and by the library, in turn, without the exchange of operators."""
    seconds: tuple[list[float], list[float]] = [], []
    for number in range(2 * rounds):
        with (nullcontext, library.on)[number % 2]():
            run()
            start = time.perf_counter()
            for _ in range(RUNS):
                run()
            seconds[number % 2].append((time.perf_counter() - start) / RUNS)
    return statistics.median(seconds[0]), statistics.median(seconds[1])


def forward_and_backward(sample: Program) -> Callable[[], object]:
    """A run of a sample: its results, and their gradients with ones."""
    inputs = sample.inputs()

    def run() -> object:
        results = sample.results(inputs)
        ones = [torch.ones_like(each) for each in results]
        return torch.autograd.grad(results, inputs, ones, allow_unused=True)

    return run


if __name__ == "__main__":
    main()
