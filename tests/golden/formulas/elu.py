"""A branch by a number: each side has its own gradient."""

import numpy as np

import pullback as pb


@pb.formula
def elu(x, *, alpha: float = 1.0):
    """x where it is positive, alpha (exp(x) - 1) elsewhere; without alpha a ramp."""
    if alpha > 0:
        t = alpha * np.expm1(x)
        r = np.where(x > 0, x, t)

        def elu_pullback(grad):
            return np.where(x > 0, grad, grad * (t + alpha))

    else:
        r = np.maximum(x, 0)

        def elu_pullback(grad):
            return np.where(x > 0, grad, 0)

    return r, elu_pullback
