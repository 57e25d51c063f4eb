"""Nested gradients of a function under test, compared with hyper-dual numbers."""

from __future__ import annotations

import numpy as np

import pullback as pb

from .hyperdual import HyperDual


def nested(function, inputs, weights, directions):
    """Directional derivatives of sum(weights * function(*inputs)), one per order, by nested `pb.grad`.

    weights      an array per result, or None for a result that stays unused
    directions   per order, an array per input
    """
    tensors = [pb.tensor(x, requires_grad=True) for x in inputs]
    results = function(*tensors)
    results = results if isinstance(results, tuple) else (results,)
    scalar = sum((r * w).sum() for r, w in zip(results, weights, strict=True) if w is not None)
    found = []
    for direction in directions:
        if not scalar.requires_grad:
            found.append(0.0)
            continue
        gradients = pb.grad(scalar, tensors, create_graph=True, allow_unused=True)
        terms = [(g * d).sum() for g, d in zip(gradients, direction, strict=True) if g is not None]
        scalar = sum(terms, pb.tensor(0.0))
        found.append(scalar.item())
    return found


def exact(plain, inputs, weights, directions):
    """The same numbers by hyper-dual arithmetic on `plain`, the function written for `HyperDual`."""
    per_input = zip(*directions, strict=True)
    numbers = [HyperDual.of(x, ds) for x, ds in zip(inputs, per_input, strict=True)]
    results = plain(*numbers)
    results = results if isinstance(results, tuple) else (results,)
    orders = range(1, len(directions) + 1)
    return [
        sum(
            float(np.sum(w * r.parts[(1 << k) - 1]))
            for r, w in zip(results, weights, strict=True)
            if w is not None
        )
        for k in orders
    ]


def assert_right(function, plain, inputs, *, unused=(), order=3, seed=0):
    """Assert that nested gradients of `function` are those of `plain` to third order.

    Random weights and directions: one wrong entry of any derivative shows.
    `unused` are indexes of results that get no gradient.
    """
    rng = np.random.default_rng(seed)
    shapes = _result_shapes(plain, inputs)
    weights = [None if k in unused else rng.standard_normal(shape) for k, shape in enumerate(shapes)]
    directions = [[rng.standard_normal(np.shape(x)) for x in inputs] for _ in range(order)]
    found = nested(function, inputs, weights, directions)
    expected = exact(plain, inputs, weights, directions)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


def _result_shapes(plain, inputs):
    results = plain(*(HyperDual.of(x) for x in inputs))
    return [r.parts[0].shape for r in (results if isinstance(results, tuple) else (results,))]
