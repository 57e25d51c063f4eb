"""Runs the program of a kernel in NumPy: the same statements that C++ is printed from, without a compiler.

A pass is run for all elements of its space at once. Rounding is NumPy's.
"""

from .run import Arguments, run

__all__ = ["Arguments", "run"]
