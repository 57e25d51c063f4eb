"""The engine of `pb.func.vmap`: its tensors hold one value for each example of a batch.

A `Batched` is a tensor of another engine with the examples along its first axis. An operator on it is the
same operator on all examples at once, by the rule of `rules`; or, where there is none, one call per example
(`per_example`). Either way the other engine records, so gradients need nothing here.
"""

from __future__ import annotations

import sys
from typing import Any

from ..core import dispatch
from ..core.errors import BatchedValueError
from ..tensor.base import Tensor as AnyTensor
from ..tensor.methods import install
from .apply import apply, composed, unrecorded
from .tensor import Batched as Tensor

name = "vmap"
wraps = True  # tensors of other engines are its operands too


def tensor(array: Any, requires_grad: bool = False, name: str | None = None) -> Any:
    """A leaf of the engine under this one: the same for all examples."""
    return dispatch.current().tensor(array, requires_grad, name)


def from_numpy(array: Any) -> Any:
    """A leaf of the engine under this one, over the array's memory."""
    return dispatch.current().from_numpy(array)


def start_backward(*_: Any) -> Any:
    """No backward starts at a batched value; raises BatchedValueError."""
    raise BatchedValueError(
        "pb.grad and backward don't start at a value inside of vmap: take gradients with pb.func.grad"
    )


run_backward = start_backward

AnyTensor.register(Tensor)
install(Tensor)
dispatch.register(Tensor, sys.modules[__name__])

__all__ = [
    "Tensor",
    "apply",
    "composed",
    "from_numpy",
    "name",
    "run_backward",
    "start_backward",
    "tensor",
    "unrecorded",
]
