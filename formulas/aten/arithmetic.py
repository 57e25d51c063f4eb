"""Gradients of products, quotients, powers and bounds.

Where r = f(x) is holomorphic, the cotangent of x is that of r times the complex conjugate of f'(x).
"""

from __future__ import annotations

import math
from typing import Any

from pullback import aten

from .dtypes import handle_r_to_c


def mul_tensor_backward(grad: Any, other: Any, dtype: Any) -> Any:
    """Of a factor of `self * other`: d(ab) = b da."""
    return handle_r_to_c(dtype, grad * _conj(other))


def div_tensor_self_backward(grad: Any, other: Any, dtype: Any, rounding_mode: str | None = None) -> Any:
    """Of the numerator: d(a/b) = da / b; a rounded quotient is constant in steps."""
    if rounding_mode is not None:
        return aten.zeros_like(grad)
    return handle_r_to_c(dtype, grad / _conj(other))


def div_tensor_other_backward(grad: Any, self: Any, other: Any, rounding_mode: str | None = None) -> Any:
    """Of the denominator: d(a/b) = -a/b**2 db; a rounded quotient is constant in steps."""
    if rounding_mode is not None:
        return aten.zeros_like(grad)
    return handle_r_to_c(other.dtype, -grad * _conj((self / other) / other))


def pow_backward(grad: Any, self: Any, exponent: Any) -> Any:
    """Of the base, for a number n: d x**n = n x**(n - 1) dx. DLMF 4.2.26."""
    if exponent == 0:
        return aten.zeros_like(self)
    return handle_r_to_c(self.dtype, grad * _conj(exponent * aten.pow(self, exponent - 1)))


def pow_backward_self(grad: Any, self: Any, exponent: Any) -> Any:
    """Of the base, for a tensor n: d x**n = n x**(n - 1) dx, and 0 where n is 0, at x = 0 too."""
    slope = _conj(exponent * aten.pow(self, exponent - 1))
    return handle_r_to_c(self.dtype, aten.where(exponent == 0, 0.0, grad * slope))


def pow_backward_exponent(grad: Any, self: Any, exponent: Any, result: Any) -> Any:
    """Of the exponent: d a**b = a**b log(a) db, and 0 where 0**b is constant. DLMF 4.2.26."""
    base = aten.full_like(result, self) if isinstance(self, int | float | complex) else self
    real = aten.real(exponent) if aten.is_complex(exponent) else exponent
    constant = (base == 0) & (real >= 0)
    slope = _conj(result * aten.log(base))
    return handle_r_to_c(exponent.dtype, aten.where(constant, 0.0, grad * slope))


def deg2rad_backward(grad: Any) -> Any:
    """x pi/180 is linear."""
    return grad * (math.pi / 180)


def rad2deg_backward(grad: Any) -> Any:
    """x 180/pi is linear."""
    return grad * (180 / math.pi)


def copysign_tensor_self_backward(grad: Any, self: Any, result: Any) -> Any:
    """r = |x| s with a sign s, so dr = sgn(x) s dx, and sgn(x) s = r / x; 0 at 0."""
    return aten.where(self == 0, 0.0, grad * (aten.sgn(self) * aten.sgn(result)))


def clamp_backward(grad: Any, self: Any, min: Any, max: Any) -> Any:
    """1 inside of the bounds and on them, 0 outside."""
    inside = None
    if min is not None:
        inside = self >= min
    if max is not None:
        inside = self <= max if inside is None else inside & (self <= max)
    return grad if inside is None else aten.where(inside, grad, 0.0)


def clamp_backward_min_max(grad: Any, self: Any, min: Any, max: Any, needed: tuple[bool, ...]) -> Any:
    """Of the bounds: each takes the gradient where it is the result; the upper one where they are crossed."""
    grad_min = grad_max = None
    if min is not None and needed[0]:
        chosen = self < min
        grad_min = aten.where(chosen if max is None else chosen & (min < max), grad, 0.0)
    if max is not None and needed[1]:
        chosen = self > max
        grad_max = aten.where(chosen if min is None else chosen | (max < min), grad, 0.0)
    return grad_min, grad_max


def _conj(value: Any) -> Any:
    if isinstance(value, int | float | complex):
        return value.conjugate()
    return aten.conj(value)
