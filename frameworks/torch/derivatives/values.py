"""Tensors among the arguments and results of a call."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch

from pullback.formulas.aten.refusals import Missing


def is_list(value: Any) -> bool:
    """True for a list or tuple."""
    return isinstance(value, list | tuple)


def is_differentiable(value: Any) -> bool:
    """True for a tensor of floating point or complex numbers, and for a list with one."""
    if is_list(value):
        return any(map(is_differentiable, value))
    return isinstance(value, torch.Tensor) and (value.is_floating_point() or value.is_complex())


def results_of(value: Any) -> list[Any]:
    """The results of an operator, one by one."""
    return list(value) if isinstance(value, tuple) else [value]


def flat(values: Iterable[Any]) -> list[Any]:
    """The values, with the elements of lists in the place of the lists.

    >>> flat([1, [2, 3]])
    [1, 2, 3]
    """
    return [inner for value in values for inner in (value if is_list(value) else [value])]


def fitted(gradient: Any, given: Any) -> Any:
    """A gradient as the engine of PyTorch fits it to its input: its shape and its dtype.

    Raises MissingDerivativeError for one that the table says is missing, where the input can have one.
    """
    if is_list(given):
        parts = gradient if is_list(gradient) else [gradient] * len(given)
        return [fitted(part, inner) for part, inner in zip(parts, given, strict=True)]
    if gradient is None or not is_differentiable(given):
        return None
    if isinstance(gradient, Missing):
        gradient.refuse()
    if gradient.shape != given.shape:
        if gradient.ndim:
            gradient = torch.ops.aten.sum_to_size(gradient, given.shape)
        else:
            gradient = gradient.expand(given.shape)
    if gradient.is_complex() and not given.is_complex():
        gradient = torch.real(gradient)
    return gradient.to(given.dtype)


def inner_product(left: Iterable[Any], right: Iterable[Any]) -> float:
    """The real part of the sum of inner products; a tensor that is None is zeros."""
    return sum(
        float(torch.real((first.conj() * second).sum()))
        for first, second in zip(left, right, strict=True)
        if first is not None and second is not None
    )
