"""NumPy arrays as the table of `DLTensor*` that a kernel takes, in one piece of memory."""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import MutableSequence, Sequence
from functools import cache
from typing import Any

import numpy as np

from . import abi

# A DLTensor is six words: data, device, number of axes and dtype, shape, strides, byte offset.
_TENSOR_WORDS = 6
_WORD = 8
_CPU = 1
_TABLE = ctypes.POINTER(ctypes.POINTER(abi.DLTensor))


class NotTaken(Exception):
    """A kernel does not take these inputs: the reference formula does, or says what is wrong with them."""


class Tensors:
    """Arrays, or shape and dtype alone (`Like`), as DLTensors; None stays NULL.

    `pointers` is valid as long as this object is.
    """

    def __init__(self, values: Sequence[Any]) -> None:
        present = [None if value is None else _regular(value) for value in values]
        words = array("q", bytes(_WORD * (len(present) + sum(map(_words, present)))))
        base = words.buffer_info()[0]
        position = len(present)
        for index, value in enumerate(present):
            if value is not None:
                words[index] = base + _WORD * position
                position = _write(words, base, position, value)
        self._alive = present, words
        self.pointers = ctypes.cast(base, _TABLE)

    def shape(self, index: int) -> tuple[int, ...]:
        """The shape of a tensor as it is now: a kernel may have written it."""
        tensor = self.pointers[index].contents
        return tuple(tensor.shape[: tensor.ndim])


def _regular(value: Any) -> Any:
    """The array, or a copy where its elements do not lie at multiples of their size."""
    if len(value.shape) > abi.MAX_DIMS:
        raise NotTaken(f"{len(value.shape)} dimensions")
    if not isinstance(value, np.ndarray):
        return value
    if not value.flags.aligned or any(stride % value.itemsize for stride in value.strides):
        return np.ascontiguousarray(value).reshape(value.shape)
    return value


def _words(value: Any) -> int:
    return 0 if value is None else _TENSOR_WORDS + 2 * len(value.shape)


def _write(words: MutableSequence[int], base: int, position: int, value: Any) -> int:
    """Write a tensor with its shape and strides behind it; where the next one begins."""
    ndim = len(value.shape)
    extents = position + _TENSOR_WORDS
    strides = extents + ndim
    is_array = isinstance(value, np.ndarray)
    words[position] = value.__array_interface__["data"][0] if is_array else 0
    words[position + 1] = _CPU
    words[position + 2] = ndim | _dtype_word(value.dtype) << 32
    words[position + 3] = base + _WORD * extents
    words[position + 4] = base + _WORD * strides if is_array else 0
    for axis, extent in enumerate(value.shape):
        words[extents + axis] = extent
    if is_array:
        for axis, stride in enumerate(value.strides):
            words[strides + axis] = stride // value.itemsize
    return strides + ndim


@cache
def _dtype_word(dtype: np.dtype[Any]) -> int:
    found = abi.data_type(dtype)
    if found is None:
        raise NotTaken(f"no kernel takes {dtype}")
    return int(found.code | found.bits << 8 | found.lanes << 16)
