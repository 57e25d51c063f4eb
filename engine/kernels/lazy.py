"""Kernels that are compiled when they are first asked for, each for one float type."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from ...transpile.emit.native import emit_cpp
from ...transpile.emit.native.formula_kernels import Compiled
from ...transpile.emit.native.kernel import Kernel
from ..errors import CompilerError
from .compile import compile_cached
from .load import KernelLibrary
from .prepared import Prepared, pattern


class _Twin(ctypes.Structure):
    """pb::Twin of kernel_context.h."""

    _fields_ = (("infer", ctypes.c_void_p), ("run", ctypes.c_void_p), ("flat", ctypes.c_void_p))


_SUPPLY = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.POINTER(_Twin))


class LazyLibrary(KernelLibrary):
    """The kernels of a formula.

    The forward and the plain backwards of all orders are compiled together, any
    other kernel by itself, for float32 or float64 as `bits` says. A kernel that
    is called for the other type gets that one compiled and goes on with it.
    Other patterns of gradients have a kernel each from when they are first seen;
    beyond `MOST_VARIANTS` of them the general one takes them.
    """

    MOST_VARIANTS = 8

    def __init__(self, prepared: Prepared, bits: int = 32) -> None:
        self.bits = bits
        self._compiled = prepared.compiled
        self._key = prepared.key
        self._plain = tuple(_plain(prepared.compiled))
        self._all = {kernel.name: kernel for kernel in prepared.compiled.kernels()}
        self._variants: dict[tuple[str, tuple[bool, ...]], Kernel | None] = {}
        self._loaded: dict[tuple[str, int], KernelLibrary] = {}
        self._callbacks: list[Any] = []

    @property
    def loaded(self) -> bool:
        """Whether some kernel was asked for."""
        return bool(self._loaded)

    def functions(self, kernel: str) -> tuple[Any, Any]:
        """The kernel's `infer` and `run`. Raises CompilerError where it cannot be compiled."""
        return self._holding(kernel, self.bits).functions(kernel)

    def flat(self, kernel: str) -> int:
        """The address of the kernel's loop; 0 where it is no pointwise one."""
        return self._holding(kernel, self.bits).flat(kernel)

    def variant(self, compiled: Compiled, defined: tuple[bool, ...]) -> Kernel | None:
        """The kernel for this pattern of defined gradients alone; the general one where there are many."""
        key = compiled.forward.name, defined
        if key not in self._variants and len(self._variants) < self.MOST_VARIANTS:
            self._variants[key] = made = pattern(self._key, compiled, defined)
            if made is not None:
                self._all[made.name] = made
        return self._variants.get(key) or compiled.general

    def _holding(self, kernel: str, bits: int) -> KernelLibrary:
        if kernel not in self._all:
            raise CompilerError(f"{self._compiled.formula.name} has no kernel {kernel}")
        chosen = self._all[kernel]
        group = self._plain if chosen in self._plain else (chosen,)
        found = self._loaded.get((group[0].name, bits))
        if found is None:
            found = self._loaded[group[0].name, bits] = self._load(group, bits)
        return found

    def _load(self, group: tuple[Kernel, ...], bits: int) -> KernelLibrary:
        ir = self._compiled.formula
        names = " ".join(kernel.name for kernel in group)

        def text() -> str:
            return emit_cpp(ir.name, group, ir.source)

        library = KernelLibrary(compile_cached(f"{self._key} {names}", text, bits), ir.name)
        callback = _SUPPLY(self._supplier(bits))
        library.supply(callback)
        self._callbacks.append(callback)  # which C++ calls as long as the library is there
        return library

    def _supplier(self, bits: int) -> Callable[[bytes, Any], int]:
        def supply(name: bytes, twin: Any) -> int:
            try:
                other = self._holding(name.decode(), 96 - bits)
            except CompilerError:
                return 1
            infer, run = (ctypes.cast(found, ctypes.c_void_p) for found in other.functions(name.decode()))
            twin[0] = _Twin(infer, run, other.flat(name.decode()))
            return 0

        return supply


def _plain(compiled: Compiled) -> list[Kernel]:
    """The forward, the plain first backward, its plain backward and so on."""
    derivative = compiled.derivative
    return [compiled.forward, *(_plain(derivative) if derivative is not None else [])]
