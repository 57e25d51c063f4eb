"""What random programs are called with: arrays of several sizes and ranks, and values of their attributes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Case:
    """The shapes of a program's tensors `x`, `y`, `z` and `s`, and its attributes.

    `idx` has positions along the last axis of `x`, `mask` is as long as that axis.
    """

    x: Shape = (4,)
    y: Shape = (4,)
    z: Shape = (3, 4)
    s: Shape = ()
    n: int = 3
    scale: float = 0.75
    flag: bool = True
    weights: tuple[float, ...] = (0.5, -1.25, 1.5)
    table: tuple[tuple[float, float], ...] = ((0.5, 1.25), (1.5, -0.25))
    hops: tuple[int, ...] = (0, -1, 0)

    @property
    def tensors(self) -> dict[str, Shape]:
        """The shapes of inputs that have gradients."""
        return {"x": self.x, "y": self.y, "z": self.z, "s": self.s}

    @property
    def attributes(self) -> dict[str, Any]:
        """The values of keyword-only parameters."""
        names = ("n", "scale", "flag", "weights", "table", "hops")
        return {name: getattr(self, name) for name in names}

    @property
    def length(self) -> int:
        """That of `idx` and `mask`."""
        return self.x[-1] if self.x else 1

    def arrays(self, dtype: type = np.float64) -> dict[str, Any]:
        """Inputs: smooth numbers away from kinks, positions and a mask."""
        rng = np.random.default_rng(5)
        made = {
            name: np.array(rng.uniform(0.4, 1.4, shape), dtype=dtype) for name, shape in self.tensors.items()
        }
        positions = np.array([2, 0, 3, 0])[: self.length] % max(self.length, 1)
        mask = np.resize([True, False, True, True], self.length)
        return {**made, "idx": positions, "mask": mask}

    def called(self, **attributes: Any) -> Case:
        """The same arrays with other attributes."""
        return replace(self, **attributes)


USUAL = Case()
# What a program is drawn for; the first is drawn as often as all others.
HOMES = (
    USUAL,
    Case((1,), (1,), (1, 1)),
    Case((5,), (5,), (2, 5), n=2, scale=-1.5),
    Case((0,), (0,), (3, 0), n=2),
    Case((3,), (3,), (3, 3), n=2, flag=False),
    Case((4,), (1,), (3, 4), (4,), n=4),
    Case((2, 3), (3,), (2, 2, 3), (1,), n=2),
    Case((), (), (2,), (), n=1),
    Case((3, 1), (1, 4), (3, 4), (), n=0),
    Case((17,), (17,), (40, 17), n=1),
)


def others(home: Case) -> Mapping[str, Case]:
    """Further calls of a program that was drawn for `home`: other sizes, other attributes."""
    grown = {name: tuple(2 * size + 1 for size in shape) for name, shape in home.tensors.items()}
    alone = {name: (1,) * len(shape) for name, shape in home.tensors.items()}
    empty = {name: (*shape[:-1], 0) if shape else () for name, shape in home.tensors.items()}
    one_row = {**home.tensors, "y": (1,) * len(home.y)}
    return {
        "grown": replace(home, **grown),
        "of size 1": replace(home, **alone),
        "empty": replace(home, **empty),
        "with one y": replace(home, **one_row),
        "of another scale": home.called(scale=-0.25),
        "n = 0": home.called(n=0),
        "n = 1": home.called(n=1, flag=not home.flag),
        "not flag": home.called(flag=not home.flag),
        "n = 5": home.called(n=5),
        "of other weights": home.called(weights=(0.25,), table=((1.0, 0.5),) * 3, hops=(0, 0)),
        "of no weights": home.called(weights=(), table=(), hops=()),
    }
