"""A kernel called on NumPy arrays."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cache, cached_property
from math import prod
from typing import Any

import numpy as np

from ...transpile.emit.cpp import ABI
from ...transpile.loops.lower.kernel import Kernel
from ..primitives.plumbing import Like
from . import abi
from .gemm import RUNTIME
from .load import KernelLibrary
from .tensors import NotTaken, Tensors

_ALIGNMENT = 64
_ERROR_BYTES = 256


class CompiledKernel:
    """A kernel, ready to be called.

    `kernel.inputs` and `kernel.outputs` say what it takes and gives, in order;
    `infer_address`, `run_address` and `flat_address` (0 where it is no pointwise
    loop) are its entry points for another engine.
    """

    def __init__(self, library: KernelLibrary, kernel: Kernel) -> None:
        self.kernel = kernel
        self._library = library
        self._codes = [entry.code for entry in kernel.inputs if not entry.is_number]
        self._count = len(kernel.outputs)
        self._n_specs = self._count + len(kernel.plain_results)

    @cached_property
    def _infer(self) -> Any:
        return self._library.functions(self.kernel.name)[0]

    @cached_property
    def _run(self) -> Any:
        return self._library.functions(self.kernel.name)[1]

    @cached_property
    def flat_address(self) -> int:
        """The address of the kernel's loop, or 0."""
        return self._library.flat(self.kernel.name)

    @property
    def infer_address(self) -> int:
        """The address of `infer`."""
        return ctypes.cast(self._infer, ctypes.c_void_p).value or 0

    @property
    def run_address(self) -> int:
        """The address of `run`."""
        return ctypes.cast(self._run, ctypes.c_void_p).value or 0

    def infer(self, query: abi.Infer) -> int:
        """The status of `infer`, which fills in what the query asks for."""
        status: int = self._infer(ctypes.byref(query))
        return status

    def __call__(self, arguments: Sequence[Any], needed: Sequence[bool] | None = None) -> list[Any]:
        """The outputs, for an argument per entry of `kernel.inputs`.

        An argument is an array, a Python number, a `Like`, a shape, or None for
        an undefined gradient. Outputs that `needed` says nobody needs are None.
        Raises NotTaken where the kernel does not take such arguments.
        """
        return self.with_plain_outputs(arguments, needed)[0]

    def with_plain_outputs(
        self, arguments: Sequence[Any], needed: Sequence[bool] | None = None
    ) -> tuple[list[Any], list[Any]]:
        """The outputs, and the values that the kernel tells."""
        tensors, numbers = self._sorted(arguments)
        taken = Tensors(tensors)
        attrs = _array(abi.Scalar, len(numbers))(*numbers)
        error = _array(ctypes.c_char, _ERROR_BYTES)()
        specs = _array(abi.Spec, self._n_specs)()
        common = (ABI, len(tensors), len(numbers), self._n_specs, taken.pointers, attrs)
        text = ctypes.c_char_p(ctypes.addressof(error))  # `cast` would make a cycle
        query = abi.Infer(*common, specs, error=text, error_bytes=_ERROR_BYTES)
        if self._infer(ctypes.byref(query)) != abi.OK:
            raise NotTaken(error.value.decode())
        outputs = [_new(specs[k]) if needed is None or needed[k] else None for k in range(self._count)]
        plain = [
            plain_value(specs[k], one.kind) for k, one in enumerate(self.kernel.plain_results, self._count)
        ]
        given = Tensors([*outputs, *[None] * len(plain)])
        workspace = np.empty(query.workspace_bytes + _ALIGNMENT, np.uint8)
        start = -(-workspace.ctypes.data // _ALIGNMENT) * _ALIGNMENT
        call = abi.Call(
            *common,
            given.pointers,
            start,
            query.workspace_bytes,
            end=query.units,
            runtime=ctypes.pointer(RUNTIME),
            error=text,
            error_bytes=_ERROR_BYTES,
        )
        status = self._run(ctypes.byref(call))
        if status == abi.SMALLER:
            outputs = [None if out is None else _cut(out, given.shape(k)) for k, out in enumerate(outputs)]
            return outputs, plain
        if status != abi.OK:
            raise NotTaken(error.value.decode())
        return outputs, plain

    def _sorted(self, arguments: Sequence[Any]) -> tuple[list[Any], list[abi.Scalar]]:
        """Tensors and numbers apart, each as the kernel takes it."""
        tensors: list[Any] = []
        numbers: list[abi.Scalar] = []
        for entry, value in zip(self.kernel.inputs, arguments, strict=True):
            if entry.is_number:
                absent = entry.optional and value is None
                numbers.append(abi.Scalar(i=0) if absent else scalar(value, entry.role))
            elif entry.optional and value is None:
                tensors.append(None)
            elif entry.role in ("like", "shape"):
                # The shape of a branch that was not taken is None, and nobody reads it.
                shape = () if value is None else value
                tensors.append(shape if isinstance(shape, Like) else Like(tuple(shape), np.dtype(float)))
            else:
                tensors.append(value)
        own = next(
            (v.dtype for v, code in zip(tensors, self._codes, strict=True) if code == "T" and _is_array(v)),
            None,
        )
        for position, code in enumerate(self._codes):
            if isinstance(tensors[position], (bool, int, float)) and not _is_array(tensors[position]):
                # A Python number takes the arrays' type.
                if code != "T" or own is None:
                    raise NotTaken("a number where an array is expected")
                tensors[position] = np.asarray(tensors[position], own)
            elif tensors[position] is not None and not isinstance(tensors[position], Like):
                tensors[position] = np.asarray(tensors[position])
        return tensors, numbers


@cache
def _array(kind: Any, length: int) -> Any:
    """The type of an array, cached: each that is made anew is a cycle for the collector."""
    return kind * max(1, length)


def _cut(array: np.ndarray[Any, Any], shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """The beginning of an array in C order, in this shape."""
    return array if array.shape == shape else array.reshape(-1)[: prod(shape)].reshape(shape)


def _is_array(value: Any) -> bool:
    return isinstance(value, (np.ndarray, np.generic))


_KINDS: dict[str, tuple[type, ...]] = {
    "int": (int, np.integer),
    "bool": (bool, np.bool_),
    "float": (int, float),
    "strong": (np.float64, bool, np.bool_),
}


def scalar(given: object, role: str) -> abi.Scalar:
    """A number as a kernel takes it in this role. Raises NotTaken for what it is not."""
    if not isinstance(given, _KINDS[role]):
        raise NotTaken(f"{given!r} is no {role}")
    value: Any = given
    return abi.Scalar(f=float(value)) if role in ("float", "strong") else abi.Scalar(i=int(value))


def plain_value(spec: abi.Spec, kind: str) -> Any:
    """A value that is no array, as it stands in the place of an output's shape."""
    if kind == "float":
        return ctypes.c_double.from_buffer_copy(spec.shape).value
    if kind in ("int", "bool"):
        return int(spec.shape[0]) if kind == "int" else bool(spec.shape[0])
    shape = tuple(spec.shape[: spec.ndim])
    return Like(shape, abi.numpy_type(spec.dtype)) if kind == "like" else shape


def _new(spec: abi.Spec) -> np.ndarray[Any, Any]:
    return np.empty(tuple(spec.shape[: spec.ndim]), abi.numpy_type(spec.dtype))
