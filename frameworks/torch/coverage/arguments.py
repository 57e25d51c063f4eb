"""PyTorch's arguments as the library takes them."""

from __future__ import annotations

from typing import Any

import numpy
import torch

import pullback.numpy as np

_DTYPES = {
    torch.float16: numpy.float16,
    torch.float32: numpy.float32,
    torch.float64: numpy.float64,
    torch.complex64: numpy.complex64,
    torch.complex128: numpy.complex128,
    torch.int64: numpy.int64,
    torch.int32: numpy.int32,
    torch.bool: numpy.bool_,
}


class NotTakenError(Exception):
    """An argument that the library has no counterpart of."""


def dtype_of(dtype: Any) -> Any:
    """NumPy's dtype for PyTorch's. Raises NotTakenError for those that NumPy does not have."""
    if dtype not in _DTYPES:
        raise NotTakenError(f"{dtype} is no dtype of NumPy")
    return numpy.dtype(_DTYPES[dtype])


def axes(dim: Any) -> Any:
    """The axis or axes of a reduction: none given are all.

    >>> axes([]), axes([0, -1]), axes(1)
    (None, (0, -1), 1)
    """
    if dim is None or isinstance(dim, int):
        return dim
    return tuple(dim) or None


def given(*values: Any) -> tuple[Any, ...]:
    """Arguments that PyTorch takes one by one or as a tuple.

    >>> given(2, 3), given((2, 3))
    ((2, 3), (2, 3))
    """
    return tuple(values[0]) if len(values) == 1 and isinstance(values[0], (tuple, list)) else values


def values_of(x: Any) -> Any:
    """The entries as an array, which no gradient flows through."""
    return x.detach().numpy() if hasattr(x, "detach") else numpy.asarray(x)


def cast(x: Any, dtype: Any) -> Any:
    """In PyTorch's `dtype`; None leaves it as it is."""
    return x if dtype is None else np.astype(x, dtype_of(dtype))
