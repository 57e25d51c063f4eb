"""Reads formulas into the IR: syntax tree to equations, with a located diagnostic for what is refused."""

from __future__ import annotations

from .function import Reading, read_function, read_one
from .module import read_module, read_operator
from .names.bindings import Binding, Names
from .names.outline import Module, Outline

__all__ = [
    "Binding",
    "Module",
    "Names",
    "Outline",
    "Reading",
    "read_function",
    "read_module",
    "read_one",
    "read_operator",
]
