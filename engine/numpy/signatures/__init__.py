"""NumPy's own signatures of what is an operator here, a file per kind of function."""

from . import arrangement, reductions, ufuncs

__all__ = ["arrangement", "reductions", "ufuncs"]
