"""Gradients of Fourier transforms between real and complex numbers.

The transform is linear: its adjoint is the transform in the other direction, with the same scale.
"""

from __future__ import annotations

from typing import Any

from pullback import aten


def fft_r2c_backward(grad: Any, dim: Any, normalization: int, onesided: bool, last: int) -> Any:
    """The real part of the inverse transform; the half that was left out has no gradient."""
    if onesided:
        missing = last - grad.shape[dim[-1]]
        if missing > 0:
            shape = list(grad.shape)
            shape[dim[-1]] = missing
            grad = aten.cat((grad, aten.new_zeros(grad, shape)), dim[-1])
    return aten.real(aten._fft_c2c(grad, dim, normalization, False))


def fft_c2r_backward(grad: Any, dim: Any, normalization: int) -> Any:
    """The transform of the real gradient; what also stood for its mirror image counts twice."""
    made = aten._fft_r2c(grad, dim, normalization, True)
    last = dim[-1] % grad.ndim
    twice = (grad.shape[last] - 1) // 2
    if twice <= 0:
        return made
    axis = made.shape[last]
    parts = [aten.narrow(made, last, 0, 1), 2 * aten.narrow(made, last, 1, twice)]
    if axis > 1 + twice:
        parts.append(aten.narrow(made, last, 1 + twice, axis - 1 - twice))
    return aten.cat(parts, last)
