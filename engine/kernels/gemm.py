"""NumPy's matrix product as a service for kernels."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from . import abi


def _matrix(
    address: int, dtype: Any, shape: tuple[int, int], strides: tuple[int, int]
) -> np.ndarray[Any, Any]:
    """A view of memory that the kernel owns; strides count elements."""
    size = np.dtype(dtype).itemsize
    low = sum(min(0, (n - 1) * stride) for n, stride in zip(shape, strides, strict=True))
    high = sum(max(0, (n - 1) * stride) for n, stride in zip(shape, strides, strict=True))
    memory: Any = (ctypes.c_char * ((high - low + 1) * size)).from_address(address + low * size)
    return np.ndarray(shape, dtype, memory, -low * size, tuple(stride * size for stride in strides))


def _gemm(
    context: int, bits: int, m: int, n: int, k: int, a: int, a_row: int, a_column: int,
    b: int, b_row: int, b_column: int, c: int,
) -> None:  # fmt: skip
    dtype = np.float32 if bits == 32 else np.float64
    left = _matrix(a, dtype, (m, k), (a_row, a_column))
    right = _matrix(b, dtype, (k, n), (b_row, b_column))
    np.matmul(left, right, out=_matrix(c, dtype, (m, n), (n, 1)))


RUNTIME = abi.Runtime(gemm=abi.Gemm(_gemm))
