"""Parts of complex numbers, of real ones too."""

from __future__ import annotations

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
