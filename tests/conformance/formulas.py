"""Formulas that several tests of the engines use."""

import pullback as pb


@pb.formula
def simple(a, b):
    """(a + b) b, whose closure captures an intermediate."""
    t = a + b
    r = t * b

    def simple_pullback(grad):
        return grad * b, grad * t + grad * b

    return r, simple_pullback
