"""NumPy's random state, saved so that a computation can be repeated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np


class RandomState:
    """The global state of `np.random` and that of each generator among some values, as they are now.

    Lists, tuples and dicts among the values are entered.
    """

    def __init__(self, values: Sequence[Any]) -> None:
        self._generators = list(_generators(values))
        self._states = self._now()

    @contextmanager
    def restored(self) -> Iterator[None]:
        """Compute with the saved states; afterwards they are what they were before."""
        before = self._now()
        self._set(self._states)
        try:
            yield
        finally:
            self._set(before)

    def _now(self) -> tuple[Any, list[Any]]:
        return np.random.get_state(), [generator.bit_generator.state for generator in self._generators]

    def _set(self, states: tuple[Any, list[Any]]) -> None:
        of_all, own = states
        np.random.set_state(of_all)
        for generator, state in zip(self._generators, own, strict=True):
            generator.bit_generator.state = state


def _generators(values: Iterable[Any]) -> Iterator[np.random.Generator]:
    for value in values:
        if isinstance(value, np.random.Generator):
            yield value
        elif type(value) in (list, tuple):
            yield from _generators(value)
        elif type(value) is dict:
            yield from _generators(value.values())
