"""The native engine: C++20, with the behaviour of the reference engine.

`src` holds it, in rooms; `include/pullback` what C++ of others includes:
`kernel` what generated kernels do, the files above that what programs and
libraries of operators do. What is here makes leaves and fits the names.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.grad_mode import on_inference
from ..core.registry import FORMULAS
from ..tensor.base import Tensor as AnyTensor
from ..tensor.leaf_values import copied, shared
from . import _native, sources

sources.check(_native.__file__, getattr(_native, "built_from", None))

from . import blas
from ._native import (
    Tensor,
    allocate_like,
    apply,
    current_pass,
    forget_operators,
    leaf,
    run_backward,
    set_anomaly,
    set_inference,
    set_observer,
    set_packing,
    start_backward,
    write_clock,
)

name = "native"
composed = unrecorded = None  # no ways of its own (calls/call.py): to look for them in vain takes 1 us
AnyTensor.register(Tensor)
FORMULAS.on_replaced(forget_operators)
blas.choose()
on_inference(set_inference)

_WORTH_ALIGNING = 1 << 12  # bytes; NumPy's memory begins within lines of the cache, which vectors then cross


def tensor(array: Any, requires_grad: bool = False, name: str | None = None) -> Tensor:
    """A leaf that owns a copy of the values; of more than a few in the engine's memory, from a line on."""
    if type(array) is not np.ndarray or array.nbytes < _WORTH_ALIGNING or not _is_plain(array):
        return leaf(copied(array), requires_grad, name)
    memory = allocate_like(array)
    memory[...] = array
    return leaf(memory, requires_grad, name)


def _is_plain(array: np.ndarray[Any, Any]) -> bool:
    return array.dtype in (np.float32, np.float64) and array.flags.c_contiguous


def from_numpy(array: Any) -> Tensor:
    """A leaf over the array's own memory: each sees what the other writes."""
    return leaf(shared(array), False, None)


__all__ = [
    "Tensor",
    "apply",
    "current_pass",
    "from_numpy",
    "name",
    "run_backward",
    "set_anomaly",
    "set_observer",
    "set_packing",
    "start_backward",
    "tensor",
    "write_clock",
]
