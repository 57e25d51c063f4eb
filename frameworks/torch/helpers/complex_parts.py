"""Parts of complex numbers, of real ones too."""

from __future__ import annotations

from typing import Any

import torch


def imag(val: torch.Tensor) -> torch.Tensor:
    """The imaginary part, 0 of a real number.

    >>> imag(torch.tensor([1.0, 2.0]))
    tensor([0., 0.])
    """
    return torch.imag(val) if val.is_complex() else torch.zeros_like(val)


def imaginary(x: torch.Tensor) -> torch.Tensor:
    """The imaginary unit times a number.

    >>> imaginary(torch.tensor([2.0]))
    tensor([0.+2.j])
    """
    return 1j * x


def conjugated(x: Any) -> Any:
    """The conjugate of a complex gradient, where there is one.

    >>> conjugated(torch.tensor([1 + 2j])), conjugated(None)
    (tensor([1.-2.j]), None)
    """
    return x.conj() if isinstance(x, torch.Tensor) and x.is_complex() else x


def sign_of_complex(x: torch.Tensor) -> torch.Tensor:
    """The sign; of a complex number, that number divided by its absolute value."""
    return torch.sgn(x) if x.is_complex() else torch.sign(x)


def conj_of_complex(x: torch.Tensor) -> torch.Tensor:
    """The conjugate, by functions that have batching rules."""
    return x.conj().resolve_conj() if x.is_complex() else torch.conj_physical(x)
