"""CUDA C++ of kernels, one of the device for each launch of the schedule, and C++ of the host's part."""

from __future__ import annotations

from collections.abc import Sequence

from ...ir import Source
from ...loops.kernels.guard import located
from ...loops.lower.kernel import Kernel
from ...loops.schedules.cuda import scheduled
from ...loops.statements import KernelProgram
from ..cpp.files import file_text as host_text
from .files import Entry, entry_text, file_text

__all__ = ["Entry", "emit_cuda", "emit_entry", "emit_host"]


def emit_cuda(name: str, kernels: Sequence[Kernel], source: Source) -> str:
    """The CUDA file of a formula: the launches of its kernels, for float32 and float64.

    Raises FormulaError, located, where something in a kernel is not compiled for CUDA.
    """
    return file_text(name, _programs(name, kernels, source), source)


def emit_entry(name: str, kernel: Kernel, source: Source, entry: Entry) -> str:
    """The CUDA text of one entry point of a kernel, with what it needs.

    Raises FormulaError, located, where something in the kernel is not compiled for CUDA.
    """
    (program,) = _programs(name, [kernel], source)
    return entry_text(name, program, source, entry)


def emit_host(name: str, kernels: Sequence[Kernel], source: Source) -> str:
    """The C++ file that starts the launches of a formula's kernels, by the functions of the kernel ABI.

    Raises FormulaError, located, where something in a kernel is not compiled for CUDA.
    """
    return host_text(name, _programs(name, kernels, source), source)


def _programs(name: str, kernels: Sequence[Kernel], source: Source) -> list[KernelProgram]:
    programs = []
    for kernel in kernels:
        with located(name, kernel.span, source):
            programs.append(scheduled(kernel))
    return programs
