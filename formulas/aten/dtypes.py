"""Numbers, dtypes and the options of tensors in formulas of PyTorch's table."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pullback import aten

NO_REDUCTION = 0  # of a loss: a value per entry


def conjugate(number: Any) -> Any:
    """The complex conjugate of a number.

    >>> conjugate(2), conjugate(1 + 2j)
    (2, (1-2j))
    """
    return number.conjugate()


def is_complex(number: Any) -> bool:
    """True for a complex number."""
    return isinstance(number, complex)


class Options(NamedTuple):
    """The dtype, layout and device of a tensor to be."""

    dtype: Any
    layout: Any
    device: Any


def options(tensor: Any) -> Options:
    """The options of a tensor, which keep it no longer alive."""
    return Options(tensor.dtype, tensor.layout, tensor.device)


class Geometry(NamedTuple):
    """The places of a tensor's entries in its memory."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int


def geometry(tensor: Any) -> Geometry:
    """The geometry of a tensor, which keeps it no longer alive."""
    return Geometry(tuple(tensor.shape), tuple(tensor.stride()), tensor.storage_offset())


def tangent(given: Any, primal: Any) -> Any:
    """The tangent of an input: zeros where there is none, None where there is no input."""
    if given is None and primal is not None:
        return aten.zeros_like(primal)
    return given


def handle_r_to_c(dtype: Any, gradient: Any) -> Any:
    """A gradient for an input of a dtype: its real part where the input is real.

    The cotangent of a real number is the real part of that of the complex number it became.
    """
    is_real = dtype.kind != "c" if isinstance(dtype, np.dtype) else not dtype.is_complex
    if is_real and aten.is_complex(gradient):
        return aten.real(gradient)
    return gradient


def maybe_multiply(gradient: Any, factor: Any) -> Any:
    """The gradient times a number."""
    return gradient if factor == 1 else gradient * factor
