"""C++ of kernels with a plain C interface, in text that a person would sign."""

from __future__ import annotations

from collections.abc import Sequence

from ...ir import Source
from ...loops.kernels.guard import located
from ...loops.lower.kernel import Kernel
from ...loops.lower.schedule import program_of
from .files import ABI, file_text

__all__ = ["ABI", "emit_cpp"]


def emit_cpp(name: str, kernels: Sequence[Kernel], source: Source) -> str:
    """The C++ file of a formula: its kernels, and the functions of the kernel ABI that export them.

    Raises FormulaError, located, where something in a kernel is not compiled.
    """
    programs = []
    for kernel in kernels:
        with located(name, kernel.span, source):
            programs.append(program_of(kernel))
    return file_text(name, programs, source)
