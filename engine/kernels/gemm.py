"""NumPy's matrix product as a service for kernels."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import abi


def _view(address: int, dtype: Any, shape: Sequence[int], steps: Sequence[int]) -> np.ndarray[Any, Any]:
    """A view of memory that the kernel owns; steps count elements."""
    size = np.dtype(dtype).itemsize
    low = sum(min(0, (n - 1) * step) for n, step in zip(shape, steps, strict=True))
    high = sum(max(0, (n - 1) * step) for n, step in zip(shape, steps, strict=True))
    memory: Any = (ctypes.c_char * ((high - low + 1) * size)).from_address(address + low * size)
    return np.ndarray(shape, dtype, memory, -low * size, tuple(step * size for step in steps))


def _gemm(context: int, pointer: Any) -> None:
    product = pointer.contents
    dtype = np.float32 if product.bits == 32 else np.float64
    stack = product.shape[: product.ndim]

    def matrices(name: str, shape: Sequence[int], rows: int, columns: int) -> np.ndarray[Any, Any]:
        strides = (getattr(product, f"{name}_row"), getattr(product, f"{name}_column"))
        steps = getattr(product, f"{name}_steps")[: product.ndim]
        return _view(getattr(product, name), dtype, (*shape, rows, columns), (*steps, *strides))

    m, n, k = product.m, product.n, product.k
    computed = np.matmul(matrices("a", stack, m, k), matrices("b", stack, k, n))
    summed = tuple(axis for axis in range(product.ndim) if product.c_steps[axis] == 0)
    extents = [1 if axis in summed else extent for axis, extent in enumerate(stack)]
    result = matrices("c", extents, m, n)
    if product.add:
        result += computed.sum(summed, keepdims=True)
    else:
        result[...] = computed.sum(summed, keepdims=True)


RUNTIME = abi.Runtime(gemm=abi.Gemm(_gemm))
