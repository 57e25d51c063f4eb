"""Formulas as text, for the tests of the commands."""

SIMPLE = """import numpy as np
import pullback as pb


@pb.formula
def simple(a, b):
    t = a + b

    def simple_pullback(grad):
        return grad * b, grad * t + grad * b

    return t * b, simple_pullback
"""

TOO_FEW = SIMPLE.replace("return grad * b, grad * t + grad * b", "return grad * b")

WRONG = SIMPLE.replace("grad * t + grad * b", "grad * t + 1.5 * grad * b")
