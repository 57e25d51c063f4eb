"""The smallest operator with a trap: its closure captures an intermediate.

`t` is neither an input nor a result, so a gradient that reaches it while the
closure is differentiated has nowhere to go, unless `t` is promoted.
"""

import pullback as pb


@pb.formula
def simple(a, b):
    """(a + b) b, with gradients b and a + 2b."""
    t = a + b
    r = t * b

    def simple_pullback(grad):
        return grad * b, grad * t + grad * b

    return r, simple_pullback


@simple.sample_inputs
def _simple_inputs(rng):
    yield (rng.standard_normal(4), rng.standard_normal(4)), {}
    yield (rng.standard_normal((3, 1)), rng.standard_normal(4)), {}
