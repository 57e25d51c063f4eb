"""Kernels that are compiled when they are first asked for, each for one float type and kind of rows."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...transpile.diagnostics import FormulaError
from ...transpile.emit.cpp import emit_cpp
from ...transpile.loops.kernels.formula_kernels import Compiled
from ...transpile.loops.kernels.guard import failed
from ...transpile.loops.lower.flat import is_flat
from ...transpile.loops.lower.kernel import Kernel
from ...transpile.loops.lower.shape_sets import is_once
from ...transpile.operators import OPERATORS
from ...transpile.processors import processors
from ..core.errors import CompilerError
from .compile import Asked, compile_cached, runtime_library
from .disk_cache import without_collection
from .load import KernelLibrary
from .prepared import Prepared, pattern

Group = tuple[Kernel, ...]


class _Twin(ctypes.Structure):
    """pb::Twin of kernel/context.h."""

    _fields_ = (("infer", ctypes.c_void_p), ("run", ctypes.c_void_p), ("flat", ctypes.c_void_p))


_SUPPLY = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.POINTER(_Twin))
_LACKS_TYPE = 0  # pb::Lacks of kernel/context.h
_LONG_ROW = 32  # kShortRow of kernel/loops/row_loop.h
_BITS: dict[Any, int] = {np.dtype(np.float32): 32, np.dtype(np.float64): 64}


class Part(NamedTuple):
    """The parts of a kernel that a library has, as the macros of kernel/context.h list them.

    bits    of the float type
    long    whether loops that may go by rows are there for long rows alone, for short ones alone, or,
            where it is None, for all
    likely  whether a kernel with a way for shapes as they mostly are has no other
    """

    bits: int = 32
    long: bool | None = None
    likely: bool = False

    @classmethod
    def of_call(cls, inputs: Sequence[Any], guesses: bool) -> Part:
        """The parts that a call on these arrays needs first; `guesses`: some kernel guesses shapes."""
        found = (getattr(value, "dtype", None) for value in inputs)
        bits = next((_BITS[dtype] for dtype in found if dtype in _BITS), 64)
        shapes = {np.shape(value) for value in inputs}
        return cls(bits, any(shape[-1:] >= (_LONG_ROW,) for shape in shapes), guesses or len(shapes) == 1)

    @property
    def macros(self) -> tuple[str, ...]:
        """The definitions that it is compiled with."""
        rows = () if self.long is None else (f"PB_ONLY_ROWS={int(self.long)}",)
        return f"PB_ONLY_BITS={self.bits}", *rows, *(("PB_ONLY_LIKELY",) if self.likely else ())

    def twin(self, lacks: int) -> Part:
        """The parts that are still missing."""
        return self._replace(bits=96 - self.bits) if lacks == _LACKS_TYPE else Part(self.bits)


class LazyLibrary(KernelLibrary):
    """The kernels of a formula.

    The forward and the plain backwards of all orders are compiled at once, the
    last one beside the others where there is another processor for it, any other
    kernel by itself, as `part` says: for float32 or float64, for long rows or
    short ones, for shapes as they mostly are. A kernel that is called for the
    other type, or for rows or shapes that it is not compiled for, gets a twin
    compiled and goes on with it.
    Other patterns of gradients have a kernel each from when they are first seen;
    beyond `MOST_VARIANTS` of them the general one takes them.
    """

    MOST_VARIANTS = 8

    def __init__(self, prepared: Prepared) -> None:
        self.part = Part()
        self._compiled = prepared.compiled
        self.key = prepared.key
        self._plain = _groups(_plain(prepared.compiled))
        self._all = {kernel.name: kernel for kernel in prepared.compiled.kernels()}
        self._variants: dict[tuple[str, tuple[bool, ...] | None], Kernel | None] = {}
        self._loaded: dict[tuple[str, Part], KernelLibrary] = {}
        self._callbacks: list[Any] = []

    def expect(self, inputs: Sequence[Any]) -> None:
        """Compile first what a call on these arrays needs, unless something is compiled."""
        if not self._loaded:
            guesses = any(kernel.guess is not None for group in self._plain for kernel in group)
            self.part = Part.of_call(inputs, guesses)

    def functions(self, kernel: str) -> tuple[Any, Any]:
        """The kernel's `infer` and `run`.

        Raises CompilerError where there is no compiler, FormulaError (PB501) where it takes no such text.
        """
        return self._holding(kernel, self.part).functions(kernel)

    def flat(self, kernel: str) -> int:
        """The address of the kernel's loop; 0 where it is no pointwise one."""
        return self._holding(kernel, self.part).flat(kernel)

    def has_flat(self, kernel: Kernel) -> bool:
        """True for a pointwise kernel with a loop of its own; known before it is compiled."""
        return is_flat(kernel)

    def variant(self, compiled: Compiled, defined: tuple[bool, ...]) -> Kernel | None:
        """The kernel for this pattern of defined gradients alone; the general one where there are many."""
        patterns = sum(which is not None for _, which in self._variants)
        known = (compiled.forward.name, defined) in self._variants
        own = self._variant(compiled, defined) if known or patterns < self.MOST_VARIANTS else None
        return own or self._variant(compiled, None)

    def _variant(self, compiled: Compiled, defined: tuple[bool, ...] | None) -> Kernel | None:
        key = compiled.forward.name, defined
        if key not in self._variants:
            self._variants[key] = made = pattern(self.key, compiled, defined)
            if made is not None:
                self._all[made.name] = made
        return self._variants[key]

    def _holding(self, kernel: str, part: Part) -> KernelLibrary:
        if kernel not in self._all:
            raise CompilerError(f"{self._compiled.formula.name} has no kernel {kernel}")
        chosen = self._all[kernel]
        group = next((group for group in self._plain if chosen in group), (chosen,))
        found = self._loaded.get((group[0].name, part))
        if found is None:
            found = self._loaded[group[0].name, part] = self._load(group, part)
        return found

    def _load(self, group: Group, part: Part) -> KernelLibrary:
        beside = [other for other in self._plain if other != group] if group in self._plain else []
        runtime_library()  # which says that there is no compiler
        ir = self._compiled.formula
        try:
            with without_collection():
                asked = (self._asked(other, part) for other in beside)
                path = compile_cached(self._asked(group, part), asked)
        except CompilerError as error:
            raise failed(ir.name, ir.span, "its C++ does not compile", ir.source) from error
        library = KernelLibrary(path, self._compiled.formula.name)
        callback = _SUPPLY(self._supplier(part))
        library.supply(callback)
        self._callbacks.append(callback)  # which C++ calls as long as the library is there
        return library

    def _asked(self, group: Group, part: Part) -> Asked:
        ir = self._compiled.formula
        names = " ".join(kernel.name for kernel in group)
        macros = (part if _may_go_by_rows(group) else part._replace(long=None)).macros
        return Asked(f"{self.key} {names}", lambda: emit_cpp(ir.name, group, ir.source), macros)

    def _supplier(self, part: Part) -> Callable[[bytes, int, Any], int]:
        def supply(name: bytes, lacks: int, twin: Any) -> int:
            try:
                other = self._holding(name.decode(), part.twin(lacks))
            except (CompilerError, FormulaError):
                return 1
            infer, run = (ctypes.cast(found, ctypes.c_void_p) for found in other.functions(name.decode()))
            twin[0] = _Twin(infer, run, other.flat(name.decode()))
            return 0

        return supply


def _plain(compiled: Compiled) -> list[Kernel]:
    """The forward, the plain first backward, its plain backward and so on."""
    derivative = compiled.derivative
    return [compiled.forward, *(_plain(derivative) if derivative is not None else [])]


def _groups(kernels: Sequence[Kernel]) -> list[Group]:
    """The kernels that are compiled by one process each: the last one takes about as long as the others."""
    if processors() == 1 or len(kernels) == 1:
        return [tuple(kernels)]
    return [tuple(kernels[:-1]), tuple(kernels[-1:])]


def _may_go_by_rows(kernels: Sequence[Kernel]) -> bool:
    """True where there may be loops by rows, and no output is added to, so that a run may begin again."""
    eqns = [eqn for kernel in kernels for eqn in kernel.block.every()]
    adds = any(eqn.op == "matmul" and eqn.kwarg("like") is not None for eqn in eqns)
    reduces = any(eqn.op in OPERATORS and "keepdims" in OPERATORS[eqn.op].attrs for eqn in eqns)
    inputs = (entry.shape for kernel in kernels for entry in kernel.inputs)
    return not adds and (reduces or any(shape is not None and is_once(shape) for shape in inputs))
