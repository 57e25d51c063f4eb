"""What a construct is: a title, a function as an author writes it, and the calls to try it with."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from pullback.engine.formula.formula import Formula
from pullback.transpile.ir import Options


@dataclass(frozen=True)
class Call:
    """One call: positional inputs, and attributes by name."""

    inputs: tuple[Any, ...]
    attributes: dict[str, Any]

    def of(self, function: Callable[..., Any]) -> Any:
        """What a function gives for copies of the inputs, which it may not change."""
        return function(*map(copied, self.inputs), **self.attributes)


@dataclass
class Construct:
    """One row of the table. `closure`: the function returns one; elsewhere it is derived."""

    section: str
    title: str
    function: Callable[..., Any]
    calls: tuple[Call, ...]
    closure: bool = False

    @property
    def name(self) -> str:
        """The function's name, which is unique."""
        return self.function.__name__

    @cached_property
    def formula(self) -> Formula:
        """The function as a formula that no registry knows."""
        return Formula(self.function, Options(), derived=not self.closure)

    def plain(self, call: Call) -> Any:
        """What the author's own Python computes, the closure left aside."""
        returned = call.of(self.function)
        return returned[0] if self.closure else returned


@dataclass
class Section:
    """Constructs of one module, in the order of its text."""

    title: str
    constructs: list[Construct] = field(default_factory=list)

    def example(
        self, title: str, *calls: Call, closure: bool = False
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Decorates a function that shows a construct."""

        def add(function: Callable[..., Any]) -> Callable[..., Any]:
            self.constructs.append(Construct(self.title, title, function, calls, closure))
            return function

        return add


def call(*inputs: Any, **attributes: Any) -> Call:
    """A call with these inputs and attributes."""
    return Call(inputs, attributes)


def array(*shape: int, seed: int = 0) -> np.ndarray:
    """Reproducible numbers between a half and two, so that logarithms and roots of them exist."""
    return np.random.default_rng([seed, *shape]).uniform(0.5, 2.0, shape)


def copied(value: Any) -> Any:
    """The value; arrays, and those of a list, copied."""
    if isinstance(value, list):
        return [copied(item) for item in value]
    return value.copy() if isinstance(value, np.ndarray) else value
