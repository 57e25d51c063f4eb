"""What must hold of each random graph: engines agree, forward mode too, and so do differences."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np

import pullback as pb

from .graphs import ORDERS, RandomGraph, outcome

STEP = 1e-5


def check(seed: int, engines: tuple[str, ...]) -> str:
    """What came of it: "right", or a refusal's name. AssertionError, with the seed, where it is wrong."""
    graph = RandomGraph(seed)
    outcomes = {engine: outcome(graph, engine) for engine in engines}
    first = outcomes[engines[0]]
    for engine, other in outcomes.items():
        if isinstance(first, str) or isinstance(other, str):
            assert other == first, f"seed {seed}: {engines[0]} gives {first}, {engine} gives {other}"
            continue
        assert len(other) == len(first), f"seed {seed}: {engine} stops at another order"
        for one, expected in zip(other, first, strict=True):
            np.testing.assert_allclose(one, expected, 1e-9, 1e-9, err_msg=f"seed {seed}: {engine}")
    if isinstance(first, str):
        return first
    for engine in engines:
        with pb.use_engine(engine):
            forward_mode(graph, first)
    with pb.use_engine(engines[seed % len(engines)]):
        differences(graph, first)
    return "right"


def forward_mode(graph: RandomGraph, found: list[np.ndarray]) -> None:
    """Tangents of the value and of its gradients are the derivatives along the first direction."""
    count = len(graph.start)
    slope, *of_gradients = graph.tangents()
    second = found[2 + count : 2 + 2 * count] or [np.zeros_like(array) for array in graph.start]
    for tangent, expected in zip((slope, *of_gradients), (found[1 + count], *second), strict=True):
        np.testing.assert_allclose(tangent, expected, 1e-9, 1e-9, err_msg=f"seed {graph.seed}: tangents")


def differences(graph: RandomGraph, found: list[np.ndarray]) -> None:
    """Each derivative in a direction against the central difference of the one before."""
    width = 1 + len(graph.start)
    scalars = found[::width]
    for order in range(min(ORDERS, len(scalars) - 1)):
        above, below = (graph.derivatives(sign * STEP, order, order)[order * width] for sign in (1.0, -1.0))
        difference = (above - below) / (2 * STEP)
        scale = 1 + max(abs(scalars[order]), abs(scalars[order + 1]))
        np.testing.assert_allclose(
            scalars[order + 1],
            difference,
            rtol=1e-4,
            atol=1e-6 * float(scale),
            err_msg=f"seed {graph.seed}: order {order + 1}",
        )


def check_in_threads(seeds: list[int], engine: str) -> None:
    """The graphs of all seeds, at the same time in threads, give what they give alone.

    But for rounding: while one thread is in a checkpoint, sums of all take the long way, in another order.
    """
    alone = [outcome(RandomGraph(seed), engine) for seed in seeds]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda seed: outcome(RandomGraph(seed), engine), seeds))
    for seed, one, other in zip(seeds, alone, together, strict=True):
        if isinstance(one, str) or isinstance(other, str):
            assert one == other, f"seed {seed}: {one} alone, {other} in threads"
            continue
        for expected, array in zip(one, other, strict=True):
            np.testing.assert_allclose(array, expected, 1e-9, 1e-9, err_msg=f"seed {seed} in threads")
