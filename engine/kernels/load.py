"""Shared libraries of kernels, loaded and checked."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

from ...transpile.emit.cpp import ABI
from ...transpile.loops.kernels.formula_kernels import Compiled
from ...transpile.loops.lower.kernel import Kernel
from ..core.errors import CompilerError
from . import abi
from .exported import supply


class KernelLibrary:
    """The kernels of one formula.

    Raises CompilerError where the file cannot be loaded, is no library of this
    formula, or was built for another kernel ABI.
    """

    def __init__(self, path: Path, name: str) -> None:
        self.path = path
        try:
            self._library = ctypes.CDLL(str(path))
            number = getattr(self._library, f"{name}_abi")
        except (OSError, AttributeError) as error:
            raise CompilerError(f"{path} holds no kernels of {name}: {error}") from error
        number.restype = ctypes.c_uint32
        found = number()
        if found != ABI:
            raise CompilerError(
                f"{path} was built for kernel ABI {found}, this is {ABI}; transpile and compile it again"
            )
        supply(self._library)

    def functions(self, kernel: str) -> tuple[Any, Any]:
        """The kernel's `infer` and `run`. Raises CompilerError where the library has no such kernel."""
        try:
            infer = getattr(self._library, f"{kernel}_infer")
            run = getattr(self._library, f"{kernel}_run")
        except AttributeError as error:
            raise CompilerError(f"{self.path} has no kernel {kernel}") from error
        infer.argtypes, run.argtypes = [ctypes.POINTER(abi.Infer)], [ctypes.POINTER(abi.Call)]
        infer.restype = run.restype = ctypes.c_int
        return infer, run

    def flat(self, kernel: str) -> int:
        """The address of the kernel's loop; 0 where it is no pointwise one."""
        found = getattr(self._library, f"{kernel}_flat", None)
        return 0 if found is None else ctypes.cast(found, ctypes.c_void_p).value or 0

    def has_flat(self, kernel: Kernel) -> bool:
        """True for a pointwise kernel with a loop of its own."""
        return self.flat(kernel.name) != 0

    def variant(self, compiled: Compiled, defined: tuple[bool, ...]) -> Kernel | None:
        """The kernel for a backward that is not the plain one."""
        return compiled.general

    def supply(self, callback: Any) -> None:
        """Set what the kernels ask for their twins of the other float type, where they are for one type."""
        try:
            place = ctypes.c_void_p.in_dll(self._library, "pb_supply")
        except ValueError:
            return
        place.value = ctypes.cast(callback, ctypes.c_void_p).value
