"""CUDA C++ of kernels: a kernel of the device for each launch that the schedule has made."""

from __future__ import annotations

from collections.abc import Sequence

from ...ir import Source
from ...loops.kernels.guard import located
from ...loops.lower.kernel import Kernel
from ...loops.schedules.cuda import scheduled
from .files import file_text

__all__ = ["emit_cuda"]


def emit_cuda(name: str, kernels: Sequence[Kernel], source: Source) -> str:
    """The CUDA file of a formula: the launches of its kernels, for float32 and float64.

    Raises FormulaError, located, where something in a kernel is not compiled for CUDA.
    """
    programs = []
    for kernel in kernels:
        with located(name, kernel.span, source):
            programs.append(scheduled(kernel))
    return file_text(name, programs, source)
