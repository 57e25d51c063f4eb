"""Fourier transforms along several axes, and of Hermitian halves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from ...calls.call import call, operators
from .table import stands_for


def _axes(a: Any, s: Any, axes: Any, default: Sequence[int] | None) -> list[tuple[int, int | None]]:
    """Each axis that is transformed, with its length, None for the one that it has."""
    if axes is None:
        axes = range(-len(s), 0) if s is not None else range(a.ndim) if default is None else default
    axes = [int(axis) for axis in axes]
    lengths = [None] * len(axes) if s is None else [None if n is None or n == -1 else int(n) for n in s]
    if len(lengths) != len(axes):
        raise ValueError("Shape and axes have different lengths.")
    return list(zip(axes, lengths, strict=True))


def _different(along: list[tuple[int, int | None]], ndim: int) -> list[tuple[int, int | None]]:
    """The axes of a transform that halves the last one, of which none may come twice."""
    normalize_axis_tuple([axis for axis, _ in along], ndim)
    return along


def _one_by_one(op: str, a: Any, along: Sequence[tuple[int, int | None]], norm: Any) -> Any:
    for axis, n in reversed(along):
        a = call(op, a, n=n, axis=axis, norm=norm)
    return a


def _complex(name: str, op: str, default: Sequence[int] | None) -> None:
    """A transform of complex values along several axes."""
    target = getattr(np.fft, name)

    def transform(a: Any, s: Any = None, axes: Any = default, norm: Any = None) -> Any:
        return _one_by_one(op, a, _axes(a, s, axes, default), norm)

    transform.__doc__ = f"As `np.fft.{name}`: `np.fft.{op}` along one axis after the other."
    stands_for(target)(transform)


def _of_real(name: str, default: Sequence[int] | None) -> None:
    """A transform of real values along several axes: the last one gives the half of its spectrum."""
    target = getattr(np.fft, name)

    def transform(a: Any, s: Any = None, axes: Any = default, norm: Any = None) -> Any:
        *others, (axis, n) = _different(_axes(a, s, axes, default), a.ndim)
        return _one_by_one("fft", operators.rfft(a, n=n, axis=axis, norm=norm), others, norm)

    transform.__doc__ = f"As `np.fft.{name}`: of real values, half of the last axis."
    stands_for(target)(transform)


def _to_real(name: str, default: Sequence[int] | None) -> None:
    """A transform to real values along several axes, of the half of the last one's spectrum."""
    target = getattr(np.fft, name)

    def transform(a: Any, s: Any = None, axes: Any = default, norm: Any = None) -> Any:
        *others, (axis, n) = _different(_axes(a, s, axes, default), a.ndim)
        return operators.irfft(_one_by_one("ifft", a, others, norm), n=n, axis=axis, norm=norm)

    transform.__doc__ = f"As `np.fft.{name}`: real values, of half of the last axis."
    stands_for(target)(transform)


_complex("fft2", "fft", (-2, -1))
_complex("ifft2", "ifft", (-2, -1))
_complex("fftn", "fft", None)
_complex("ifftn", "ifft", None)
_of_real("rfft2", (-2, -1))
_of_real("rfftn", None)
_to_real("irfft2", (-2, -1))
_to_real("irfftn", None)

_INVERSE = {None: "forward", "backward": "forward", "ortho": "ortho", "forward": "backward"}


def _inverse(norm: Any) -> str:
    if norm not in _INVERSE:
        raise ValueError(f'Invalid norm value {norm}; should be "backward", "ortho" or "forward".')
    return _INVERSE[norm]


@stands_for(np.fft.hfft)
def hfft(a: Any, n: Any = None, axis: int = -1, norm: Any = None) -> Any:
    """As `np.fft.hfft`: the real spectrum of values of which the half is given."""
    return operators.irfft(np.conj(a), n=n, axis=axis, norm=_inverse(norm))


@stands_for(np.fft.ihfft)
def ihfft(a: Any, n: Any = None, axis: int = -1, norm: Any = None) -> Any:
    """As `np.fft.ihfft`: half of the values whose spectrum is real."""
    return np.conj(operators.rfft(a, n=n, axis=axis, norm=_inverse(norm)))
