"""Numbers and dtypes beside tensors."""

from __future__ import annotations

from typing import Any

import torch


def scalar(value: Any, x: torch.Tensor) -> torch.Tensor:
    """The number as a tensor beside `x`, whose dtype it does not widen.

    >>> scalar(0.5, torch.ones(2))
    tensor(0.5000)
    """
    if isinstance(value, torch.Tensor):
        return value
    return torch.as_tensor(value, dtype=torch.result_type(x, value), device=x.device)


def widened(x: Any) -> Any:
    """The tensor in double precision, as NumPy computes with integers and with its own float64 numbers.

    >>> widened(torch.tensor([1, 2])).dtype
    torch.float64
    """
    if not isinstance(x, torch.Tensor):
        return x
    return x.to(torch.complex128 if x.is_complex() else torch.float64)


def check_inputs(name: str, **tensors: Any) -> None:
    """Raise TypeError for operands that PyTorch would compute with in another dtype than NumPy.

    >>> check_inputs("scaled", x=torch.ones(2), y=torch.tensor(1.0, dtype=torch.float64))
    Traceback (most recent call last):
        ...
    TypeError: scaled: NumPy makes float64 of the 0-d `y` and torch.float32, PyTorch does not: convert one
    """
    given = {key: x for key, x in tensors.items() if x is not None}
    for key, x in given.items():
        if not isinstance(x, torch.Tensor):
            raise TypeError(f"{name}: `{key}` must be a torch.Tensor, not {type(x).__name__}")
        if x.is_complex():
            raise TypeError(f"{name}: `{key}` is {x.dtype}: the formula's gradients are those of real inputs")
    check_dtypes(name, given)


def check_dtypes(name: str, given: dict[str, torch.Tensor]) -> None:
    """Raise TypeError for tensors that PyTorch would promote to another dtype than NumPy."""
    for key, x in given.items():
        if not (x.is_floating_point() or x.is_complex() or x.dtype == torch.bool):
            raise TypeError(f"{name}: `{key}` is {x.dtype}: NumPy makes float64 of it, PyTorch does not")
    for key, x in given.items():
        for other in given.values():
            if x.ndim > 0 or other.ndim == 0 or torch.bool in (x.dtype, other.dtype):
                continue
            if torch.finfo(other.dtype).bits < torch.finfo(x.dtype).bits:
                wide = str(x.dtype).removeprefix("torch.")
                raise TypeError(
                    f"{name}: NumPy makes {wide} of the 0-d `{key}` and {other.dtype}, PyTorch does not: "
                    "convert one"
                )
