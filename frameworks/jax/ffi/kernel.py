"""A kernel called on JAX's arrays: shapes are inferred when the call is traced."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from pullback.engine.kernels import abi
from pullback.engine.kernels.launch import CompiledKernel, plain_value, scalar
from pullback.engine.kernels.lazy import LazyLibrary
from pullback.engine.kernels.tensors import NotTaken, Tensors
from pullback.transpile.emit.cpp import ABI
from pullback.transpile.loops.lower.kernel import Kernel

from ..primitives import Like
from ..values import is_array
from .bridge import TARGET, bridge, registered

_ARRAY, _ABSENT, _LIKE = range(3)  # Way of bridge.cpp
_ERROR_BYTES = 256
_PRODUCTS = frozenset({"matmul", "contract", "convolve"})


class JaxKernel:
    """A kernel of `library` that XLA calls.

    Raises NotTaken, when it is traced, for arguments that the kernel does not take: other dtypes, numbers
    that are traced. Kernels with products of matrices take none, because XLA's products are faster.
    """

    def __init__(self, library: LazyLibrary, kernel: Kernel) -> None:
        self.kernel = kernel
        self._compiled = CompiledKernel(library, kernel)
        self._name = f"{kernel.name} {library.key} {library.part.bits}"
        self._pointwise = library.has_flat(kernel)
        self._multiplies = any(eqn.op in _PRODUCTS for eqn in kernel.block.every())

    def with_plain_outputs(
        self, arguments: Sequence[Any], needed: Sequence[bool] | None = None
    ) -> tuple[list[Any], list[Any]]:
        """The outputs, None for those that nobody needs, and the values that the kernel says of sizes."""
        if self._multiplies:
            raise NotTaken("a product of matrices")
        tensors, numbers = self._sorted(arguments)
        specs = self._inferred(tensors, numbers)
        count = len(self.kernel.outputs)
        wanted = [True] * count if needed is None else list(needed)
        shapes = [_shape_of(spec) for spec, want in zip(specs[:count], wanted, strict=True) if want]
        given = iter(self._run(tensors, numbers, wanted, len(specs) - count, shapes))
        outputs = [next(given) if want else None for want in wanted]
        pairs = zip(self.kernel.plain_results, specs[count:], strict=True)
        return outputs, [_as_like(plain_value(spec, one.kind)) for one, spec in pairs]

    def _run(
        self,
        tensors: Sequence[Any],
        numbers: Sequence[abi.Scalar],
        wanted: Sequence[bool],
        plain: int,
        shapes: Sequence[Any],
    ) -> Sequence[Any]:
        arrays = [tensor for tensor in tensors if is_array(tensor)]
        # A batch is one call where every array gets the same new axis in front; else a loop of calls.
        together = self._pointwise and len(arrays) == len(tensors) and len({a.ndim for a in arrays}) == 1
        bridge()
        call = jax.ffi.ffi_call(
            TARGET, list(shapes), vmap_method="broadcast_all" if together else "sequential"
        )
        found: Sequence[Any] = call(
            *arrays,
            name=registered(self._name, self._compiled),
            layout=_numbers(word for tensor in tensors for word in _layout(tensor)),
            numbers=_numbers([number.i for number in numbers] + [0]),
            wanted=_numbers(map(int, wanted)),
            plain=np.int64(plain),
        )
        return found

    def _sorted(self, arguments: Sequence[Any]) -> tuple[list[Any], list[abi.Scalar]]:
        """Tensors and numbers apart, as `CompiledKernel` sorts those of NumPy."""
        tensors: list[Any] = []
        numbers: list[abi.Scalar] = []
        for entry, value in zip(self.kernel.inputs, arguments, strict=True):
            if entry.is_number:
                absent = entry.optional and value is None
                if isinstance(value, jax.Array):
                    raise NotTaken("a number that is traced")
                numbers.append(abi.Scalar(i=0) if absent else scalar(value, entry.role))
            elif entry.optional and value is None:
                tensors.append(None)
            elif entry.role in ("like", "shape"):
                shape = () if value is None else value
                tensors.append(shape if isinstance(shape, Like) else Like(tuple(shape), np.dtype(float)))
            elif is_array(value) or isinstance(value, Like):
                tensors.append(value)
            else:
                raise NotTaken("a number where an array is expected")
        return tensors, numbers

    def _inferred(self, tensors: Sequence[Any], numbers: Sequence[abi.Scalar]) -> list[abi.Spec]:
        """The kernel's outputs as its shape inference gives them, from shapes alone."""
        shapes = [None if t is None else Like(tuple(t.shape), np.dtype(t.dtype)) for t in tensors]
        if any(shape is not None and not abi.data_type(shape.dtype) for shape in shapes):
            raise NotTaken("no kernel takes such a dtype")
        taken = Tensors(shapes)
        count = len(self.kernel.outputs) + len(self.kernel.plain_results)
        specs = (abi.Spec * max(1, count))()
        error = (ctypes.c_char * _ERROR_BYTES)()
        attributes = (abi.Scalar * max(1, len(numbers)))(*numbers)
        query = abi.Infer(
            ABI,
            len(tensors),
            len(numbers),
            count,
            taken.pointers,
            attributes,
            specs,
            error=ctypes.cast(error, ctypes.c_char_p),
            error_bytes=_ERROR_BYTES,
        )
        if self._compiled.infer(query) != abi.OK:
            raise NotTaken(error.value.decode())
        return list(specs[:count])


def _shape_of(spec: abi.Spec) -> Any:
    dtype = abi.numpy_type(spec.dtype)
    if jax.dtypes.canonicalize_dtype(dtype) != dtype:
        raise NotTaken(f"{dtype} where jax_enable_x64 is off")
    made: Any = jax.ShapeDtypeStruct
    return made(tuple(spec.shape[: spec.ndim]), dtype)


def _as_like(value: Any) -> Any:
    """A value that a kernel says, as emitted Python over JAX reads it."""
    return Like(value.shape, jnp.dtype(value.dtype)) if hasattr(value, "shape") else value


def _layout(tensor: Any) -> list[int]:
    """The words that tell the handler where an input is."""
    if tensor is None:
        return [_ABSENT]
    if not isinstance(tensor, Like):
        return [_ARRAY]
    found = abi.data_type(np.dtype(tensor.dtype))
    assert found is not None
    return [_LIKE, found.code, found.bits, len(tensor.shape), *tensor.shape]


def _numbers(words: Any) -> np.ndarray[Any, Any]:
    return np.fromiter(words, np.int64)
