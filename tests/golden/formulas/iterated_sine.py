"""A loop, and a list that the closure goes through from its end."""

import numpy as np

import pullback as pb


@pb.formula
def iterated_sine(x, *, steps: int = 3):
    """sin(sin(...sin(x))): the slope is the product of the slopes of all turns."""
    r = x
    slopes = []
    for _ in range(steps):
        slopes.append(np.cos(r))
        r = np.sin(r)

    def iterated_sine_pullback(grad):
        for slope in reversed(slopes):
            grad = grad * slope
        return grad

    return r, iterated_sine_pullback
