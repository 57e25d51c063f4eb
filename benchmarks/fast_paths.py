"""``python benchmarks/fast_paths.py``: each fast path of the native engine, with it and without it.

A fast path does in fewer steps what the general path does with the same result, so it is worth the time that
it saves and nothing else. Each has a case here that it is for, run in turns with the path switched on and
off, in one process; what is printed are medians, and how many times as long the case takes without it.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.table import Table

import pullback as pb
from pullback.engine.core.dispatch import available

STEPS = 200


class Case(NamedTuple):
    """What a fast path is for: `run` does it `STEPS` times on what `prepare` gave, which is not timed."""

    path: str
    what: str
    run: Callable[[object], object]
    prepare: Callable[[], object] = lambda: None


def chain_of(x: pb.Tensor, b: pb.Tensor) -> pb.Tensor:
    y = x
    for _ in range(STEPS):
        y = y * b
    return y


def fan_of(x: pb.Tensor, b: pb.Tensor) -> pb.Tensor:
    """Every node passes two gradients on, so that none is part of a chain."""
    y = x
    for _ in range(STEPS // 2):
        y = y * b + y
    return y


# Views of a matrix that have its shape.
VIEWS: dict[str, Callable[[pb.Tensor], pb.Tensor]] = {
    "x[0:3]": lambda x: x[0:3],
    "x.T": lambda x: x.T,
    "x.swapaxes(0, 1)": lambda x: x.swapaxes(0, 1),
    "x.reshape(3, 3)": lambda x: x.reshape(3, 3),
}


def views_of(x: pb.Tensor, view: Callable[[pb.Tensor], pb.Tensor]) -> pb.Tensor:
    y = x
    for _ in range(STEPS // 2):
        y = view(y)
    return y


def repeated(step: Callable[[], object], times: int = STEPS) -> Callable[[object], object]:
    def run(_: object) -> None:
        for _ in range(times):
            step()

    return run


def cases() -> Iterator[Case]:
    """All cases, at least one for each fast path."""
    ones = np.ones(4, np.float32)
    x, b, seed = (pb.tensor(ones, requires_grad=k == 0) for k in range(3))
    square = pb.tensor(np.ones((3, 3), np.float32), requires_grad=True)
    ones_like_square = pb.tensor(np.ones((3, 3), np.float32))
    written, large, step, row = (pb.tensor(np.ones(n, np.float32)) for n in (4, 100_000, 100_000, 8))
    places, mask = np.array([1, 3, 5]), row.numpy() > 0

    def back(y: object) -> object:
        return pb.grad(y, x, grad_outputs=seed)

    yield Case("pointwise", "x * b of 4 numbers, recorded", lambda _: chain_of(x, b))
    yield Case("pointwise_gradient", "its backward, in a graph that branches", back, lambda: fan_of(x, b))
    yield Case("chain", "its backward, one node after the other", back, lambda: chain_of(x, b))

    def add_in_place() -> None:
        nonlocal written
        written += b

    yield Case("in_place", "x += b of 4 numbers", repeated(add_in_place))
    yield Case("in_place", "p.sub_(g, alpha=a) of 1e5", repeated(lambda: large.sub_(step, alpha=1e-9), 20))

    def back_to_square(y: object) -> object:
        return pb.grad(y, square, grad_outputs=ones_like_square)

    for what, view in VIEWS.items():
        yield Case("views", f"{what} of 3x3, recorded", lambda _, view=view: views_of(square, view))
        yield Case("view_gradient", "its backward", back_to_square, lambda view=view: views_of(square, view))

    table = pb.tensor(np.ones((300, 300), np.float32), requires_grad=True)
    rows = np.arange(300) % 70
    seed_of_rows = pb.tensor(np.ones((300, 300), np.float32))

    def back_to_table(y: object) -> object:
        return pb.grad(y, table, grad_outputs=seed_of_rows)

    yield Case("index_gradient", "x[integers] of 300 rows, backward", back_to_table, lambda: table[rows])

    def set_one() -> None:
        row[2:5] = 1.5

    yield Case("set_item", "x[2:5] = 1.5 of 8 numbers", repeated(set_one))

    def set_rows() -> None:
        row[places] = 1.5

    yield Case("set_item", "x[integers] = 1.5", repeated(set_rows))

    def set_masked() -> None:
        row[mask] = 1.5

    yield Case("set_item", "x[mask] = 1.5", repeated(set_masked))

    yield Case("moves", "concatenate of two of 4 numbers", repeated(lambda: pb.numpy.concatenate([x, b])))
    yield Case("moves", "x[integers] of 8 numbers", repeated(lambda: row[places]))

    compiled = pb.compile(norm())
    matrix = pb.tensor(np.ones((4, 4), np.float32), requires_grad=True)
    yield Case(
        "remembered_calls", "a compiled formula with an attribute", repeated(lambda: compiled(matrix, axis=1))
    )

    def short() -> None:
        pb.grad(x * b, x, grad_outputs=seed)

    yield Case("start_backward", "pb.grad of one operator", repeated(short))

    sample = pb.tensor(np.ones((1, 512), np.float32))
    weights = pb.tensor(np.ones((512, 512), np.float32), requires_grad=True)
    wide = pb.tensor(np.ones((1, 512), np.float32))

    def learn() -> None:
        (gradient,) = pb.grad(sample @ weights, weights, grad_outputs=wide)
        with pb.no_grad():
            weights.sub_(gradient, alpha=1e-6)

    yield Case("outer_product", "a step of a 512x512 layer on one sample", repeated(learn, 20))

    logits = pb.tensor(np.ones((2, 2), np.float32), requires_grad=True)
    yield Case("inferred", "a softmax of 2x2", repeated(lambda: pb.special.log_softmax(logits, axis=-1)))


def norm() -> pb.Formula:
    @pb.derive_pullback
    def norm(x, *, axis: int = -1):  # type: ignore[no-untyped-def]
        return np.sqrt((x * x).sum(axis=axis))

    return norm


@contextmanager
def switched(path: str, on: bool) -> Iterator[None]:
    """A fast path on or off while a block runs."""
    from pullback.engine.native import _native

    _native.set_fast_path(path, on)
    try:
        yield
    finally:
        _native.set_fast_path(path, True)


def measure(case: Case, rounds: int) -> tuple[float, float]:
    """Median seconds of the case with its path and without it, in turns."""
    samples: dict[bool, list[float]] = {True: [], False: []}
    for k in range(rounds + 2):
        for on in (True, False) if k % 2 else (False, True):
            state = case.prepare()
            with switched(case.path, on):
                begun = time.perf_counter()
                case.run(state)
                spent = time.perf_counter() - begun
            if k >= 2:  # what comes before fills caches
                samples[on].append(spent)
    return statistics.median(samples[True]), statistics.median(samples[False])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=50)
    arguments = parser.parse_args()
    console = Console(highlight=False)
    if "native" not in available():
        console.print("skipped: the native engine is not built here")
        return
    table = Table(title="fast paths: µs for the whole case")
    for heading in ("path", "case"):
        table.add_column(heading)
    for heading in ("with", "without", "without / with"):
        table.add_column(heading, justify="right")
    with pb.use_engine("native"):
        for case in cases():
            on, off = measure(case, arguments.rounds)
            table.add_row(
                case.path, escape(case.what), f"{on * 1e6:.1f}", f"{off * 1e6:.1f}", f"{off / on:.2f}"
            )
    console.print(table)


if __name__ == "__main__":
    main()
