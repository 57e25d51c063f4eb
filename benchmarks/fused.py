"""``python benchmarks/fused.py``: compiled operators beside PyTorch, JAX, Numba and what the memory allows.

Each operator runs forward; forward and backward, where a forward is recorded and its gradients are asked
for; both as one program; and with second gradients, as one program too: by `pb.compile`, PyTorch eager,
torch.compile, jax.jit and loops by hand in Numba, in float32. A program is a function that takes gradients
inside, compiled whole where the contender compiles programs; JAX and Numba have nothing else. All contenders
of a line and the streaming triad take turns, in an order shuffled anew in each of 20 rounds, each for a
millisecond or for one run, after a pause and two runs that wake its threads and bring its arrays back into
the caches; a cell is the median of the rounds. Each number of threads is a process of its own that sees as
many processors, so that every library obeys.

    python benchmarks/fused.py --operators gelu_tanh --sizes 10000 --threads 1 --peers torch jax

On a machine where others work, `--threads 1 --processor-time` compares what each costs one processor.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
from gradient_programs import programs_of
from rich.console import Console
from timing import interleaved, left_out, readable
from triad import bytes_moved, triad
from workloads import Workload, workloads

OURS, TRIAD = "pullback", "triad"
OPERATORS = ("simple", "gelu_tanh", "lstm_cell", "layer_norm", "cross_entropy", "gp_covariance")
PEERS = {"torch": "torch eager", "compile": "torch.compile", "jax": "jax.jit", "numba": "numba"}
MODES = {
    "forward": "forward",
    "backward": "forward and backward",
    "together": "both as one program",
    "double": "with second gradients",
}


class Line(NamedTuple):
    """Medians in seconds by contender, and what the operator has to read and write at least."""

    operator: str
    size: int
    mode: str
    medians: dict[str, float]
    moved: int


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--operators", nargs="+", choices=OPERATORS, default=OPERATORS)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10**4, 10**6, 10**7])
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--modes", nargs="+", choices=tuple(MODES), default=tuple(MODES))
    parser.add_argument("--peers", nargs="*", choices=tuple(PEERS), default=tuple(PEERS))
    parser.add_argument("--engine", choices=("native", "reference"), default="native")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--processor-time", action="store_true", help="instead of the clock's")
    parser.add_argument("--inside", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.inside:
        report(arguments, arguments.inside)
        return
    for threads in arguments.threads:
        limits = dict.fromkeys(("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "PULLBACK_NUM_THREADS"), str(threads))
        command = [sys.executable, *sys.argv, "--inside", str(threads)]
        subprocess.run(command, env=os.environ | limits, check=True)


def report(arguments: argparse.Namespace, threads: int, console: Console | None = None) -> None:
    """Measure with this process confined to as many processors, and print the tables."""
    console = console or Console(highlight=False, width=132)
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])
    for line in left_out(sorted({_package(peer) for peer in arguments.peers})):
        console.print(line)
    memory = triad(threads)
    lines = []
    for size in arguments.sizes:
        console.print(f"\n{size:.0e} elements, {threads} thread{'s' * (threads > 1)}, float32")
        header = [OURS, *(PEERS[peer] for peer in arguments.peers), "to the best", "of the triad"]
        console.print(f"{'':36}" + "".join(f"{word:>15}" for word in header), soft_wrap=True)
        for workload in workloads(size):
            if workload.name not in arguments.operators:
                continue
            ways = {OURS: _ours(workload, arguments.engine)}
            ways |= {PEERS[peer]: _peer(workload, peer) for peer in arguments.peers}
            for mode in arguments.modes:
                line = _measure(workload, size, mode, ways | {TRIAD: {mode: memory}}, arguments)
                lines.append(line)
                console.print(_row(line, header[1:-2]), soft_wrap=True)
    for text in _summary(lines):
        console.print(text)


def _measure(
    workload: Workload,
    size: int,
    mode: str,
    ways: dict[str, dict[str, Callable[[], object]]],
    arguments: argparse.Namespace,
) -> Line:
    contenders = {name: way[mode] for name, way in ways.items() if mode in way}
    clock = time.process_time if arguments.processor_time else time.perf_counter
    timings = interleaved(contenders, arguments.rounds, float("inf"), least=1e-3, clock=clock)
    once = sum(array.nbytes for array in workload.inputs)
    given = sum(array.nbytes for array in workload.cotangents)
    moved = {"backward": 3 * once + 2 * given, "together": 2 * (once + given)}.get(mode, once + given)
    return Line(workload.name, size, mode, {name: t.median for name, t in timings.items()}, moved)


def _row(line: Line, peers: list[str]) -> str:
    best = min((line.medians[peer] for peer in peers if peer in line.medians), default=float("nan"))
    cells = [readable(line.medians[name]) if name in line.medians else "-" for name in (OURS, *peers)]
    cells.append(f"{best / line.medians[OURS]:.2f}")
    cells.append("-" if line.mode == "double" else f"{100 * _fraction(line):.0f} %")
    return f"{line.operator:14} {MODES[line.mode]:21}" + "".join(f"{cell:>15}" for cell in cells)


def _fraction(line: Line) -> float:
    """The operator's least traffic in its time, to the triad's traffic in its time."""
    return line.moved / line.medians[OURS] * line.medians[TRIAD] / bytes_moved()


def _summary(lines: list[Line]) -> Iterator[str]:
    """Geometric means of how many times as fast as each peer: by size and mode, then over first gradients."""
    for size in dict.fromkeys(line.size for line in lines):
        own = [line for line in lines if line.size == size]
        groups = {MODES[mode]: [line for line in own if line.mode == mode] for mode in MODES}
        groups["all but second gradients"] = [line for line in own if line.mode != "double"]
        for title, chosen in groups.items():
            words = list(_means([line.medians for line in chosen]))
            if words:
                yield f"geometric means, {size:.0e}, {title}: times as fast as {', '.join(words)}"


def _means(chosen: list[dict[str, float]]) -> Iterator[str]:
    for peer in PEERS.values():
        ratios = [medians[peer] / medians[OURS] for medians in chosen if peer in medians]
        if ratios:
            yield f"{peer} {statistics.geometric_mean(ratios):.2f}"


def _ours(workload: Workload, engine: str) -> dict[str, Callable[[], object]]:
    import pullback as pb

    function = pb.compile(workload.formula)
    programs = programs_of(function.formula, len(workload.inputs), len(workload.cotangents))
    both, second = pb.compile(programs.together, order=0), pb.compile(programs.second, order=0)
    with pb.use_engine(engine):
        plain = [pb.tensor(array) for array in workload.inputs]
        inputs = [pb.tensor(array, requires_grad=True) for array in workload.inputs]
        fixed = [pb.tensor(array) for array in workload.cotangents]

    def several(results: Any) -> tuple[Any, ...]:
        return results if isinstance(results, tuple) else (results,)

    def forward() -> object:
        return function(*plain)

    def backward() -> object:
        results = several(function(*inputs))
        return results, pb.grad(results, inputs, fixed)

    def together() -> object:
        return both(*plain, *fixed)

    def double() -> object:
        return second(*plain, *fixed, *plain)

    def inside(run: Callable[[], object]) -> Callable[[], object]:
        def call() -> object:
            with pb.use_engine(engine):
                return run()

        return call

    runs = {"forward": forward, "backward": backward, "together": together, "double": double}
    native = engine == pb.engine.core.dispatch.available()[-1]
    return runs if native else {mode: inside(run) for mode, run in runs.items()}


def _package(peer: str) -> str:
    return "torch" if peer == "compile" else peer


def _peer(workload: Workload, peer: str) -> dict[str, Callable[[], object]]:
    module = _package(peer)
    if find_spec(module) is None:
        return {}
    if module == "torch":
        import by_torch

        return by_torch.contenders(workload, compiled=peer == "compile")
    if module == "jax":
        import by_jax

        return by_jax.contenders(workload)
    import by_numba

    return by_numba.contenders(workload)


if __name__ == "__main__":
    np.seterr(all="ignore")
    main()
