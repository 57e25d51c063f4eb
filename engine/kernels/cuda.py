"""Kernels for a GPU: the host's part in C++ and binaries of the device, compiled when first asked for."""

from __future__ import annotations

import warnings
from pathlib import Path

from ...transpile.emit.cuda import Entry, emit_entry, emit_host
from ..core.errors import CompilerError
from . import abi
from . import cache as disk
from .compile import Asked, compile_cached, key_of
from .lazy import Group, LazyLibrary, Part
from .load import KernelLibrary
from .nvrtc import compile_cuda, identity
from .prepared import Prepared


class CudaLibrary(LazyLibrary):
    """The kernels of a formula for an architecture as "sm_90", each by itself.

    The functions of a kernel start its launches by `pb_runtime.launch`; whoever starts one has its binary
    from here. Raises CompilerError where there is no NVRTC; FormulaError, located, where a kernel is not
    compiled for CUDA.
    """

    def __init__(self, prepared: Prepared, architecture: str) -> None:
        super().__init__(prepared)
        self._plain = []
        self._compiler = f"{identity()} for {architecture}"
        self._architecture = architecture

    def flat(self, kernel: str) -> int:
        """No kernel has a loop on the host."""
        return 0

    def binary(self, launch: str, bits: int, variant: int) -> tuple[str, bytes] | None:
        """The name of an entry point and what the driver loads; None, with a warning, where NVRTC refuses."""
        kernel = self._all[launch.rpartition("_")[0]]
        ir, entry = self._compiled.formula, Entry(launch, f"float{bits}", abi.VARIANTS[variant])

        def make(target: Path) -> None:
            target.write_bytes(
                compile_cuda(emit_entry(ir.name, kernel, ir.source, entry), self._architecture)
            )

        key = key_of(self.key, self._compiler, *entry)
        try:
            disk.entry(key, make, ".cubin")
        except CompilerError as error:
            warnings.warn(f"{ir.name} runs op by op on the GPU: {error}", RuntimeWarning, stacklevel=2)
            return None
        found = disk.found(key, ".cubin")
        return None if found is None else (entry.name, bytes(found))

    def _load(self, group: Group, part: Part) -> KernelLibrary:
        ir = self._compiled.formula
        names = " ".join(kernel.name for kernel in group)
        macros = (f"PB_ONLY_BITS={part.bits}",)
        host = Asked(f"host {self.key} {names}", lambda: emit_host(ir.name, group, ir.source), macros)
        return KernelLibrary(compile_cached(host), ir.name)
