"""Formulas as text that several tests read."""

# (a + b) b, whose closure captures an intermediate.
SIMPLE = """
def simple(a, b):
    t = a + b
    r = t * b
    def simple_pullback(grad):
        return grad * b, grad * t + grad * b
    return r, simple_pullback
"""
