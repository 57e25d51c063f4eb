"""Operators built by hand, so that the engine is tested without the transformation."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest


@dataclass
class HandMade:
    """An operator as an engine sees it, with a single variant that counts its calls."""

    name: str
    function: Callable[..., Any]
    derivative: Callable[..., Any]
    saved: tuple[Any, ...] = ()
    arity: int = 1
    n_results: int = 1
    n_hidden: int = 0
    n_plain: int = 0
    complex: bool = False
    plain_views: bool = False
    result_is_tuple: bool = False
    nondifferentiable: frozenset[int] = frozenset()
    barrier: str | None = None
    materialize: tuple[int, ...] = ()
    calls: list[Any] = field(default_factory=list)
    span: Any = "hand.py:1:1"
    kind: Any = "tensor"
    attributes: tuple[Any, ...] = ()

    @property
    def inputs(self):
        from pullback.transpile.ir import Param, Var

        return tuple(Param(Var(f"x{i}", self.kind)) for i in range(self.arity))

    def bind(self, args, kwargs):
        return tuple(args), dict(kwargs)

    def forward(self, inputs, attributes):
        results = self.function(*inputs, **attributes)
        return results if isinstance(results, tuple) else (results,)

    def backward(self, defined, needed):
        from pullback.engine.core.operator import Variant

        def call(saved, cotangents):
            self.calls.append((defined, needed, list(saved), list(cotangents)))
            gradients = self.derivative(saved, cotangents)
            return gradients if isinstance(gradients, tuple) else (gradients,)

        return Variant(call, tuple(range(len(self.saved))), self.materialize)


@pytest.fixture
def apply():
    from pullback.engine.core import dispatch

    return lambda operator, *args, **kwargs: dispatch.current().apply(operator, args, kwargs)


@pytest.fixture
def make():
    return HandMade


@pytest.fixture
def doubled():
    """2 x, linear: saves nothing."""
    return HandMade("doubled", lambda x: 2 * x, lambda saved, grads: 2 * grads[0])


@pytest.fixture
def squared():
    """x squared, saving its input."""
    return HandMade(
        "squared",
        lambda x: x * x,
        lambda saved, grads: 2 * saved[0] * grads[0],
        saved=(("input", 0, "x"),),
    )


@pytest.fixture
def exponential():
    """e to the x, saving its result."""
    return HandMade(
        "exponential",
        np.exp,
        lambda saved, grads: saved[0] * grads[0],
        saved=(("output", 0, "r"),),
    )


@pytest.fixture
def hidden():
    """x squared, through a hidden output t = x, whose own gradient counts."""

    def derivative(saved, grads):
        parts = []
        if grads[0] is not None:
            parts.append(2 * saved[0] * grads[0])
        if grads[1] is not None:
            parts.append(grads[1])
        return parts[0] if len(parts) == 1 else parts[0] + parts[1]

    return HandMade("hidden", lambda x: (x * x, x * 1.0), derivative, saved=(("output", 1, "t"),), n_hidden=1)
