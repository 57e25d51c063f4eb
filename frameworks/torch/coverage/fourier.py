"""Transforms of Fourier, with PyTorch's arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pullback.numpy as np

from .arguments import axes

_REVERSED = {None: "forward", "backward": "forward", "forward": "backward", "ortho": "ortho"}


def _of_one(name: str) -> Callable[..., Any]:
    function = getattr(np.fft, name)
    return lambda x, n=None, dim=-1, norm=None: function(x, n, dim, norm)


def _of_two(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, s=None, dim=(-2, -1), norm=None: function(x, s, axes(dim), norm)


def _of_several(function: Callable[..., Any]) -> Callable[..., Any]:
    def called(x: Any, s: Any = None, dim: Any = None, norm: str | None = None) -> Any:
        if dim is None and s is not None:
            dim = range(x.ndim - len(s), x.ndim)
        return function(x, s, axes(dim), norm)

    return called


def _hfftn(x: Any, s: Any, axis: Any, norm: str | None) -> Any:
    return np.fft.irfftn(np.conj(x), s, axis, _REVERSED[norm])


def _ihfftn(x: Any, s: Any, axis: Any, norm: str | None) -> Any:
    return np.conj(np.fft.rfftn(x, s, axis, _REVERSED[norm]))


def _shift(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, dim=None: function(x, axes(dim))


_ONE = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
_SEVERAL = {name: getattr(np.fft, f"{name}n") for name in ("fft", "ifft", "rfft", "irfft")}
_SEVERAL |= {"hfft": _hfftn, "ihfft": _ihfftn}
TABLE: dict[str, Callable[..., Any]] = {
    **{f"fft_{name}": _of_one(name) for name in _ONE},
    **{f"fft_{name}2": _of_two(function) for name, function in _SEVERAL.items()},
    **{f"fft_{name}n": _of_several(function) for name, function in _SEVERAL.items()},
    "fft_fftshift": _shift(np.fft.fftshift),
    "fft_ifftshift": _shift(np.fft.ifftshift),
}
