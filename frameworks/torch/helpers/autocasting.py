"""Operands as `torch.autocast` has them for products and decompositions of matrices."""

from __future__ import annotations

from typing import Any

import torch


def autocast_device(*operands: Any) -> str:
    """The device on which autocast is on for one of the operands; "" for none."""
    for x in operands:
        if isinstance(x, (list, tuple)):
            if found := autocast_device(*x):
                return found
        elif isinstance(x, torch.Tensor):
            device = x.device.type
            if torch.amp.is_autocast_available(device) and torch.is_autocast_enabled(device):
                return device
    return ""


def lowered(x: Any) -> Any:
    """The operand in autocast's dtype: a tensor of floats of up to 32 bits, or each of a list.

    >>> lowered(torch.ones(2)).dtype, lowered(torch.ones(2).double()).dtype
    (torch.bfloat16, torch.float64)
    """
    if isinstance(x, (list, tuple)):
        return [lowered(each) for each in x]
    if not isinstance(x, torch.Tensor) or not x.is_floating_point() or x.dtype == torch.float64:
        return x
    return x.to(torch.get_autocast_dtype(x.device.type))


def raised(x: Any) -> Any:
    """The operand in float32 at least: a tensor of floats, or each of a list."""
    if isinstance(x, (list, tuple)):
        return [raised(each) for each in x]
    if not isinstance(x, torch.Tensor) or not x.is_floating_point() or x.dtype == torch.float64:
        return x
    return x.to(torch.float32)
