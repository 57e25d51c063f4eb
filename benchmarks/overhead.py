"""``python benchmarks/overhead.py``: nanoseconds per operator beside its arithmetic, everyone in one run.

A chain of operators on 4 float32 values: the time to compute and record it, and the time to go back through
it, per operator. Contenders take turns, in an order shuffled anew in each round, so that what slows the
machine slows them all; the program on libtorch runs before them. What is printed are medians, and how many
times as long PyTorch takes, from Python and in C++.
"""

from __future__ import annotations

import argparse
import gc
import random
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib.util import find_spec

import numpy as np
from operators import has_compiler
from overhead_libtorch import LIBTORCH, measure_libtorch
from rich.console import Console
from rich.table import Table
from timing import left_out

import pullback as pb
from pullback.engine.core.dispatch import available

ONES = np.ones(4, np.float32)
PEER = "torch eager"
PEERS = (PEER, LIBTORCH)


@dataclass
class Contender:
    """A chain of `length` operators: `forward` gives a state, `backward` goes back from it, or is None."""

    name: str
    length: int
    forward: Callable[[], object]
    backward: Callable[[object], object] | None
    samples: tuple[list[float], list[float]] = field(default_factory=lambda: ([], []))

    def run(self, times: int = 3) -> None:
        """Measure each way. The first time in a turn doesn't count: caches hold what others left there."""
        for turn in range(times):
            begun = time.perf_counter_ns()
            state = self.forward()
            between = time.perf_counter_ns()
            if self.backward is not None:
                self.backward(state)
            done = time.perf_counter_ns()
            del state
            if turn == 0:
                continue
            self.samples[0].append((between - begun) / self.length)
            if self.backward is not None:
                self.samples[1].append((done - between) / self.length)

    def medians(self) -> tuple[float, float | None]:
        """Nanoseconds per operator, forward and backward."""
        forward, backward = self.samples
        return statistics.median(forward), statistics.median(backward) if backward else None


def chain(operator: Callable[[object, object], object], x: object, b: object, length: int) -> object:
    """The operator on its own result, again and again."""
    for _ in range(length):
        x = operator(x, b)
    return x


def multiply(x: object, b: object) -> object:
    """The one operator that is measured: what Python does with ``x * b``."""
    return x * b  # type: ignore[operator]


def ours(engine: str, operator: Callable[[object, object], object] | None, length: int) -> Contender:
    """One of the package's engines."""
    with pb.use_engine(engine):
        x, b, seed = (pb.tensor(ONES, requires_grad=k == 0) for k in range(3))

    def forward() -> object:
        y = x
        if operator is None:
            for _ in range(length):
                y = y * b
            return y
        return chain(operator, x, b, length)

    return Contender(engine, length, forward, lambda y: pb.grad(y, x, grad_outputs=seed))


def by_torch(length: int) -> Iterator[tuple[str, Contender]]:
    """PyTorch: one multiplication, and `(a + b) * b` as an `autograd.Function`."""
    import torch

    torch.set_num_threads(1)
    x, b, seed = torch.tensor(ONES, requires_grad=True), torch.tensor(ONES), torch.tensor(ONES)

    class Simple(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a, b):  # type: ignore[no-untyped-def]
            t = a + b
            ctx.save_for_backward(t, b)
            return t * b

        @staticmethod
        def backward(ctx, grad):  # type: ignore[no-untyped-def]
            t, b = ctx.saved_tensors
            return grad * b, grad * t + grad * b

    def forward() -> object:
        y = x
        for _ in range(length):
            y = y * b
        return y

    def backward(y: object) -> object:
        return torch.autograd.grad(y, x, seed)

    yield "one operator", Contender(PEER, length, forward, backward)
    yield (
        "custom operator",
        Contender(PEER, length, lambda: chain(Simple.apply, x, b, length), backward),
    )


def by_autograd(length: int) -> Contender:
    """HIPS autograd."""
    from autograd.core import make_vjp

    def forward() -> object:
        return make_vjp(lambda x: chain(multiply, x, ONES, length), ONES)

    return Contender("HIPS autograd", length, forward, lambda pair: pair[0](ONES))  # type: ignore[index]


def by_jax(length: int) -> Contender:
    """JAX without `jit`."""
    import jax

    x, b = jax.numpy.asarray(ONES), jax.numpy.asarray(ONES)

    def forward() -> object:
        value, back = jax.vjp(lambda x: chain(multiply, x, b, length), x)
        return value.block_until_ready(), back

    return Contender("jax eager", length, forward, lambda pair: pair[1](x)[0].block_until_ready())  # type: ignore[index]


def contenders(length: int) -> dict[str, list[Contender]]:
    """Everyone who is here, by what is measured."""
    found: dict[str, list[Contender]] = {"one operator": [], "custom operator": []}
    for engine in reversed(available()):
        found["one operator"].append(ours(engine, None, length))
    found["one operator"].append(
        Contender("NumPy, no derivative", length, lambda: chain(multiply, ONES, ONES, length), None)
    )
    if find_spec("torch") is not None:
        for what, contender in by_torch(length):
            found[what].append(contender)
    if find_spec("autograd") is not None:
        found["one operator"].append(by_autograd(length))
    if find_spec("jax") is not None:
        found["one operator"].append(by_jax(max(1, length // 20)))
    if "native" in available() and has_compiler():
        found["custom operator"].insert(0, ours("native", pb.compile(simple()), length))
    return found


def simple() -> pb.Formula:
    """``(a + b) * b``, whose closure captures an intermediate."""

    @pb.formula
    def simple(a, b):  # type: ignore[no-untyped-def]
        t = a + b

        def simple_pullback(grad):  # type: ignore[no-untyped-def]
            return grad * b, grad * t + grad * b

        return t * b, simple_pullback

    return simple


def measure(group: list[Contender], rounds: int) -> None:
    """Everyone in turns, after one round that is not counted."""
    shuffle = random.Random(0).shuffle
    for contender in group:
        contender.run()
        for samples in contender.samples:
            samples.clear()
    gc.collect()
    for _ in range(rounds):
        shuffle(group)
        for contender in group:
            contender.run()


def table(what: str, rows: dict[str, tuple[float, float | None]]) -> Table:
    """Medians, and the time of each peer that is here over each one's."""
    peers = [peer for peer in PEERS if peer in rows]
    result = Table(title=f"{what}, 4 float32 values: ns per operator")
    for heading in ("", "forward", "backward"):
        result.add_column(heading, justify="left" if not heading else "right")
    for peer in peers:
        result.add_column(f"{peer} / this, forward", justify="right")
        result.add_column("backward", justify="right")
    for name, times in sorted(rows.items(), key=lambda row: row[1][0]):
        ratios = [_ratio(rows[peer][way], times[way]) for peer in peers for way in (0, 1)]
        result.add_row(name, *("" if time is None else f"{time:.0f}" for time in times), *ratios)
    return result


def _ratio(peer: float | None, ours: float | None) -> str:
    return "" if peer is None or ours is None else f"{peer / ours:.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--length", type=int, default=1000, help="operators in the chain")
    parser.add_argument("--rounds", type=int, default=30)
    arguments = parser.parse_args()
    console = Console(highlight=False)
    for line in left_out(("torch", "autograd", "jax")):
        console.print(line)
    groups = contenders(arguments.length)
    in_cpp = measure_libtorch(arguments.length, arguments.rounds)
    for what, group in groups.items():
        measure(group, arguments.rounds)
        rows = {contender.name: contender.medians() for contender in group}
        if what == "one operator" and in_cpp is not None:
            rows[LIBTORCH] = in_cpp
        console.print(table(what, rows))


if __name__ == "__main__":
    main()
