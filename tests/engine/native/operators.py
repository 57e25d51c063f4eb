"""Operators made by hand, by the contract of `pullback.engine.operator.Operator`, without a formula behind them."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from pullback.engine.operator import Saved, Variant


class HandMade:
    """An operator from a forward and a backward: backward(saved, cotangents) gives a gradient per input."""

    barrier = None
    span = "handmade.py:1:1"
    result_is_tuple = False
    n_results = 1
    n_hidden = 0
    n_plain = 0
    nondifferentiable = frozenset()

    def __init__(self, name, n_inputs, forward, backward, saved, **options):
        self.name = name
        kinds = options.pop("kinds", ["tensor"] * n_inputs)
        self.inputs = tuple(
            SimpleNamespace(differentiable=True, var=SimpleNamespace(name=f"x{i}", kind=kind))
            for i, kind in enumerate(kinds)
        )
        self._forward, self._backward = forward, backward
        self.saved = tuple(Saved(*entry) for entry in saved)
        self.patterns = []
        vars(self).update(options)

    def bind(self, args, kwargs):
        return tuple(args), dict(kwargs)

    def forward(self, inputs, attributes):
        return self._forward(*inputs, **attributes)

    def backward(self, defined, needed):
        self.patterns.append((defined, needed))
        return Variant(self._backward, tuple(range(len(self.saved))), ())


def product():
    """a b, which saves both operands."""
    return HandMade(
        "product",
        2,
        lambda a, b: (np.multiply(a, b),),
        lambda saved, grads: (grads[0] * saved[1], grads[0] * saved[0]),
        [("input", 0, "a"), ("input", 1, "b")],
    )


def exponential():
    """exp(a), which saves its result."""
    return HandMade(
        "exponential",
        1,
        lambda a: (np.exp(a),),
        lambda saved, grads: (grads[0] * saved[0],),
        [("output", 0, "r")],
    )
