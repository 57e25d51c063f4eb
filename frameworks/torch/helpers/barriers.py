"""Refusal of derivatives that would be silently wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch


class Barrier(torch.autograd.Function):
    """The gradients that come first as they are; who differentiates them gets an error.

    The tensors behind them are what these gradients depend on, so that every path back to one passes here.
    """

    @staticmethod
    def forward(message: str, count: int, *tensors: Any) -> Any:
        """The first `count` of the tensors."""
        return tuple([None if x is None else x.view_as(x) for x in tensors[:count]])

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        """Keep the message."""
        ctx.message = inputs[0]

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        """Raise RuntimeError."""
        raise RuntimeError(ctx.message)

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> Any:
        """Raise RuntimeError."""
        raise RuntimeError(ctx.message)

    @staticmethod
    def vmap(info: Any, in_dims: Any, message: str, count: int, *tensors: Any) -> Any:
        """The barrier of the whole batch."""
        return Barrier.apply(message, count, *tensors), tuple(in_dims[2 : 2 + count])


def barrier(message: str, gradients: Sequence[Any], anchors: Sequence[Any]) -> tuple[Any, ...]:
    """The gradients, which can not be differentiated by anything that an anchor depends on."""
    made: tuple[Any, ...] = Barrier.apply(message, len(gradients), *gradients, *anchors)
    return made


def one_forward_level(name: str) -> None:
    """Raise NotImplementedError inside of another forward mode: PyTorch would drop that one's tangents."""
    from torch._functorch.pyfunctorch import retrieve_all_functorch_interpreters

    levels = [one.key() for one in retrieve_all_functorch_interpreters()]
    if levels.count(torch._C._functorch.TransformType.Jvp) > 1:
        raise NotImplementedError(
            f"{name}: forward mode inside of forward mode, where PyTorch gives a silent zero for "
            "functions of one's own: take one of the derivatives by torch.func.jacrev or grad"
        )


def in_forward_mode() -> bool:
    """True inside of `torch.func.jvp` or `torch.autograd.forward_ad.dual_level`, compiled too."""
    if torch.autograd.forward_ad._current_level >= 0:
        return True
    if torch.compiler.is_dynamo_compiling() or torch._C._functorch.peek_interpreter_stack() is None:
        return False
    # A compiled torch.func.jvp enters a level of torch.func alone.
    from torch._functorch.pyfunctorch import retrieve_all_functorch_interpreters

    levels = [one.key() for one in retrieve_all_functorch_interpreters()]
    return torch._C._functorch.TransformType.Jvp in levels
