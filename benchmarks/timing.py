"""Times of several ways to do one thing, interleaved in one run: what slows the machine slows them all."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec

PAUSE, WARMTH = 0.02, 0.003  # seconds


@dataclass(frozen=True)
class Timing:
    """Seconds of one contender: the median over the rounds, and the quartiles around it."""

    median: float
    low: float
    high: float


def interleaved(
    contenders: Mapping[str, Callable[[], object]],
    rounds: int = 30,
    seconds: float = 2.0,
    least: float = 0.0,
    clock: Callable[[], float] = time.perf_counter,
    pause: float = PAUSE,
) -> dict[str, Timing]:
    """Run every contender in each round, in an order shuffled anew, until rounds or seconds are over.

    Each runs twice before, unmeasured: compiling and first touches of memory are not what is compared.
    What takes less than `least` seconds runs as often as fits into them, and a sample is the mean. With
    `least` each turn begins with a pause, and with `_warm` for as long as what is measured.
    `time.process_time` as the clock tells what each costs the processors, whatever else runs on them.
    """
    for run in contenders.values():
        run()
        run()
    samples: dict[str, list[float]] = {name: [] for name in contenders}
    order = list(contenders)
    shuffle = random.Random(0).shuffle
    begun = time.perf_counter()
    for done in range(rounds):
        if done >= 5 and time.perf_counter() - begun > seconds:
            break
        shuffle(order)
        for name in order:
            run = contenders[name]
            number = 1
            if least:
                time.sleep(pause)
                number = max(1, int(least / _warm(run, max(least, WARMTH))))
            start = clock()
            for _ in range(number):
                run()
            samples[name].append((clock() - start) / number)
    return {name: _summary(times) for name, times in samples.items()}


def _warm(run: Callable[[], object], seconds: float) -> float:
    """Seconds of a run, after some for that long that are not measured.

    In the pause before the threads of the contender before stop looking for work: those of OpenMP keep a
    processor busy for 13 ms, NumPy's OpenBLAS for 30. The runs wake the contender's own threads, and find the
    caches as another left them: the first five of 0.2 ms take up to three times as long as those after them.
    """
    begun = time.perf_counter()
    runs = 0
    while True:
        start = time.perf_counter()
        run()
        runs += 1
        end = time.perf_counter()
        if runs >= 2 and end - begun >= seconds:
            return max(end - start, 1e-7)


def _summary(times: list[float]) -> Timing:
    low, median, high = statistics.quantiles(times, n=4) if len(times) > 1 else times * 3
    return Timing(median, low, high)


def readable(seconds: float) -> str:
    """A time with three digits and a fitting unit.

    >>> readable(0.00123)
    '1.23 ms'
    """
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def left_out(packages: Iterable[str]) -> list[str]:
    """A line that names the packages of contenders that are not installed; none where all are.

    >>> left_out(["numpy"])
    []
    """
    missing = [package for package in packages if find_spec(package) is None]
    return [f"not installed, and left out: {', '.join(missing)}"] if missing else []
