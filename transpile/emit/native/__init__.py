"""C++ from IR: kernels with a plain C interface, in text that a person would sign."""

from __future__ import annotations

from collections.abc import Sequence

from ...ir import Source
from ..cpp.files import ABI, file_text
from .guard import located
from .kernel import Input, Kernel
from .operators import PRIMITIVES
from .schedule import program_of

__all__ = ["ABI", "PRIMITIVES", "Input", "Kernel", "emit_cpp"]


def emit_cpp(name: str, kernels: Sequence[Kernel], source: Source) -> str:
    """The C++ file of a formula: its kernels, and the functions of the kernel ABI that export them.

    Raises FormulaError, located, where something in a kernel is not compiled.
    """
    programs = []
    for kernel in kernels:
        with located(name, kernel.span, source):
            programs.append(program_of(kernel))
    return file_text(name, programs, source)
