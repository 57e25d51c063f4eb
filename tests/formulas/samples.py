"""Inputs for every formula of the library: its own samples, or normal numbers where it has none."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any

import numpy as np

import pullback as pb
from pullback.transpile import operators
from pullback.transpile.operators import OPERATORS


@dataclass(frozen=True)
class Case:
    """A formula with one set of arguments."""

    name: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    def __str__(self) -> str:
        shapes = "-".join(_shape(arg) for arg in self.args)
        return " ".join([self.name, shapes, *(f"{k}={v}" for k, v in self.kwargs.items())])

    @property
    def function(self) -> Any:
        """What a user calls: NumPy's own function where there is one that dispatches."""
        word = OPERATORS[self.name].python
        module, _, attribute = word.rpartition(".")
        return getattr(np, attribute) if module == "numpy" else pb.formulas()[self.name]

    def call(self, *leaves: Any) -> Any:
        """The formula on `leaves`, the flat list of arguments, lists entered."""
        rest = iter(leaves)
        args = [[next(rest) for _ in arg] if isinstance(arg, list) else next(rest) for arg in self.args]
        return pb.formulas()[self.name](*args, **self.kwargs)

    @property
    def leaves(self) -> list[Any]:
        """The arguments, lists entered."""
        return [leaf for arg in self.args for leaf in (arg if isinstance(arg, list) else [arg])]


def _shape(arg: Any) -> str:
    if isinstance(arg, list):
        return "+".join(_shape(item) for item in arg)
    return "x".join(map(str, np.shape(arg))) or "scalar"


# Of complex values, which `test_complex` checks.
OF_COMPLEX = frozenset({"imag", "imaginary", "fft", "ifft", "rfft", "irfft"})


def names() -> list[str]:
    """Every operator with a formula of real values, but for the one that only raises."""
    found = (name for name, word in OPERATORS.items() if word.derivative == "formula" and not word.gives_list)
    return [name for name in found if name != "refuse_gradient" and name not in OF_COMPLEX]


# Those of several results stand for no operator; `eigh` has another formula for the upper triangle, and the
# results of `eig` are complex.
DECOMPOSITIONS = sorted(
    {*(name.rpartition(".")[2] for name in operators.DECOMPOSITIONS), "eigh_upper"} - {"eig"}
)


def samples(name: str, seed: int = 0) -> list[Case]:
    """The cases of one formula."""
    formula = pb.formulas()[name]
    found = [Case(name, args, kwargs) for args, kwargs in formula.samples(seed)]
    return found or [Case(name, args, {}) for args in _guesses(formula, seed)]


def _guesses(formula: Any, seed: int) -> list[tuple[Any, ...]]:
    parameters = inspect.signature(formula.__wrapped__).parameters.values()
    count = sum(p.kind is not p.KEYWORD_ONLY for p in parameters)
    rng = np.random.default_rng(seed)
    shapes = [[(3, 4)] * count, [()] * count] if count == 1 else [[(3, 4)] * count, [(3, 1), (4,)]]
    return [tuple(rng.standard_normal(shape) for shape in row) for row in shapes]


def every_case() -> list[Case]:
    """All cases of all formulas."""
    return [case for name in names() for case in samples(name)]
