"""PyTorch's ATen for formulas that are written in `pullback.aten`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch._prims_common import suggest_memory_format

from pullback import aten

# What is no operator of ATen's, or no operator that its dispatcher calls by this name.
OWN: dict[str, Any] = {
    "stride": lambda tensor: tuple(tensor.stride()),
    "numel": lambda tensor: tensor.numel(),
    "layout": lambda tensor: tensor.layout,
    "is_complex": lambda tensor: tensor.is_complex(),
    "is_cpu": lambda tensor: tensor.is_cpu,
    "is_xpu": lambda tensor: tensor.is_xpu,
    "is_jagged": lambda tensor: tensor.layout == torch.jagged,
    "is_contiguous": lambda tensor: tensor.is_contiguous(),
    "blocksize": lambda tensor: tuple(tensor.values().shape[1:]) if _blocked(tensor) else None,
    "suggest_memory_format": suggest_memory_format,
    "contiguous": lambda tensor, memory_format=torch.contiguous_format: tensor.contiguous(
        memory_format=memory_format
    ),
    "to": lambda tensor, dtype: tensor.to(dtype),
    "mT": lambda tensor: tensor.mT,
    "mH": lambda tensor: tensor.mH,
    "int64": torch.int64,
    "bool": torch.bool,
    "contiguous_format": torch.contiguous_format,
    "ScalarType": torch.dtype,
    "Layout": torch.layout,
    "Device": torch.device,
    "MemoryFormat": torch.memory_format,
    "Generator": torch.Generator,
}


def _blocked(tensor: torch.Tensor) -> bool:
    return tensor.layout in (torch.sparse_bsr, torch.sparse_bsc)


def find(name: str) -> Callable[..., Any]:
    """The function of ATen with this name. Raises AttributeError where PyTorch has none."""
    found = OWN.get(name)
    return getattr(torch.ops.aten, name) if found is None else found


aten.implement(find)
