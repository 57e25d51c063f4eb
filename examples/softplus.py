"""Softplus with a sharpness, in the form that cannot overflow."""

import numpy as np

import pullback as pb


@pb.formula
def softplus(x, *, beta: float = 1.0):
    """log(1 + exp(beta x)) / beta, whose derivative is the logistic function of beta x.

    The logarithm is written as max(z, 0) + log(1 + exp(-|z|)). That form has
    kinks at 0 which cancel in the value and not in a derivative taken term by
    term, so the closure captures the logistic function, computed without them.
    """
    z = beta * x
    s = pb.sigmoid(z)
    y = (np.maximum(z, 0) + np.log1p(np.exp(-np.abs(z)))) / beta

    def softplus_pullback(grad):
        return grad * s

    return y, softplus_pullback


@softplus.sample_inputs
def _softplus_inputs(rng):
    yield (rng.standard_normal((3, 5)),), {}
    yield (np.array([-40.0, -1.0, 0.0, 1.0, 40.0]),), {"beta": 2.0}
