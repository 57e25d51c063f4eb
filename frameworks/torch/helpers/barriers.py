"""Refusal of derivatives that would be silently wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from .forward_mode import BackwardContext


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


def barrier(ctx: Any, message: str, gradients: Sequence[Any], anchors: Sequence[Any]) -> tuple[Any, ...]:
    """The gradients, which can not be differentiated by anything that an anchor depends on.

    Those of a backward that is transposed for forward mode can: its tangents are first derivatives.
    """
    if isinstance(ctx, BackwardContext):
        return tuple(gradients)
    made: tuple[Any, ...] = Barrier.apply(message, len(gradients), *gradients, *anchors)
    return made
