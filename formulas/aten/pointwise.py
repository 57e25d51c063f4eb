"""Gradients of other functions of an entry."""

from __future__ import annotations

import math
from typing import Any

from pullback import aten


def log1p_backward(grad: Any, self: Any) -> Any:
    """d log(1 + x) = dx / (1 + x)."""
    return grad / aten.conj(self + 1)


def atan2_backward(grad: Any, self: Any, other: Any, needed: tuple[bool, ...]) -> Any:
    """d atan2(y, x) = (x dy - y dx) / (x**2 + y**2), and 0 at the origin."""
    square = self * self + other * other
    scaled = grad * aten.where(square == 0, 0.0, 1 / square)
    return scaled * other if needed[0] else None, -scaled * self if needed[1] else None


def sinc_backward(grad: Any, self: Any) -> Any:
    """sin(pi x)/(pi x) has the slope (cos(pi x) - sinc(x)) / x, and 0 at 0."""
    zero = self == 0
    x = aten.where(zero, 1.0, self)
    angle = math.pi * x
    slope = (aten.cos(angle) - aten.sin(angle) / angle) / x
    return aten.where(zero, 0.0, grad * aten.conj(slope))


def sgn_backward(self: Any, grad: Any, sgn: Any) -> Any:
    """s = x/|x|: ds = (dx - s Re(conj(s) dx)) / |x|, which is its own adjoint; 0 at 0, and for real x."""
    if not aten.is_complex(self):
        return aten.zeros_like(self)
    size = aten.abs(self)
    across = grad - sgn * aten.real(aten.conj(sgn) * grad)
    return aten.where(size == 0, 0.0, across / size)


def angle_backward(grad: Any, self: Any) -> Any:
    """The angle of z changes by Im(conj(z) dz) / |z|**2; that of a real number does not."""
    if not aten.is_complex(self):
        return aten.zeros_like(self)
    square = aten.real(self * aten.conj(self))
    return aten.where(self == 0, 0.0, grad * (1j * self) / square)


def polar_backward(grad: Any, result: Any) -> Any:
    """z = r e**(it): dz = e**(it) dr + i z dt."""
    turned = aten.conj(result) * grad
    return aten.real(aten.conj(aten.sgn(result)) * grad), aten.imag(turned)


def i1_backward(grad: Any, self: Any, result: Any) -> Any:
    """I1'(x) = I0(x) - I1(x)/x, and 1/2 at 0. DLMF 10.29.2."""
    zero = self == 0
    slope = aten.i0(self) - result / aten.where(zero, 1.0, self)
    return grad * aten.where(zero, 0.5, slope)


def i1e_backward(grad: Any, self: Any, result: Any) -> Any:
    """e**-|x| I1(x) has the slope i0e(x) - i1e(x) (sgn(x) + 1/x), and 1/2 at 0. DLMF 10.29.2."""
    zero = self == 0
    x = aten.where(zero, 1.0, self)
    slope = aten.special_i0e(self) - result * (aten.sgn(self) + 1 / x)
    return grad * aten.where(zero, 0.5, slope)


def mvlgamma_backward(grad: Any, self: Any, p: int) -> Any:
    """The logarithm of Gamma_p has the slope sum of psi(x + (1 - j)/2) for j = 1 to p. DLMF 35.3.4."""
    slope = aten.digamma(self)
    for j in range(2, p + 1):
        slope = slope + aten.digamma(self + (1 - j) / 2)
    return grad * slope
