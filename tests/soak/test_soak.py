"""Ten minutes of random graphs on both engines (in ``make test-all``), and the first of them in every run.

``PULLBACK_SOAK_SECONDS`` says how long, ``PULLBACK_SOAK_SEED`` from which graph on.
"""

from __future__ import annotations

import os
import time
from collections import Counter

import pytest

from pullback.engine.core.dispatch import available
from tests.sampling import sampled

from .graphs import WAYS, RandomGraph
from .oracles import check, check_in_threads

# Seeds that found something once.
FOUND = (5000008, 3222, 7700247)
FIRST = int(os.environ.get("PULLBACK_SOAK_SEED", "1000"))
SECONDS = float(os.environ.get("PULLBACK_SOAK_SECONDS", "600"))


@pytest.mark.parametrize("seed", [*sampled(range(40), 3), *FOUND])
def test_the_engines_agree_and_so_do_differences(seed: int) -> None:
    check(seed, available())


@pytest.mark.parametrize("engine", available())
def test_threads_change_nothing(engine: str) -> None:
    check_in_threads(list(range(12)), engine)


def test_the_graphs_have_everything() -> None:
    steps = [step for seed in range(300) for step in RandomGraph(seed).steps]
    assert {step.kind for step in steps} == set(WAYS)
    for kind, ways in WAYS.items():
        assert {step.way % len(ways) for step in steps if step.kind == kind} == set(range(len(ways)))
    outcomes = Counter(check(seed, available()[:1]) for seed in range(20))
    assert outcomes["right"] >= 10


@pytest.mark.slow
def test_a_long_run() -> None:
    begun, seed, outcomes = time.monotonic(), FIRST, Counter[str]()
    while time.monotonic() - begun < SECONDS:
        outcomes[check(seed, available())] += 1
        if seed % 50 == 0:
            check_in_threads(list(range(seed - 10, seed)), available()[seed // 50 % len(available())])
        seed += 1
    print(f"{seed - FIRST} graphs: {dict(outcomes)}")
