"""Discrete Fourier transforms along an axis."""

from __future__ import annotations

from .info import OperatorInfo


def _transform(name: str) -> OperatorInfo:
    attributes = ("n", "axis", "norm")
    return OperatorInfo(name, f"numpy.fft.{name}", ("a",), attributes, linear=(0,))


OPERATORS: tuple[OperatorInfo, ...] = tuple(map(_transform, ("fft", "ifft", "rfft", "irfft")))
