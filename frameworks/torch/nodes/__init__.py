"""Operators of ATen in a library of C++ in the place of PyTorch's own, with a table's derivatives."""

from .library import Library, load

__all__ = ["Library", "load"]
