"""Forward mode: a backward is linear in the cotangents, and its transpose maps tangents forward."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from .likes import zeros


class BackwardContext:
    """The context of a backward that is called for the gradients by some of the inputs."""

    def __init__(self, ctx: Any, needs_input_grad: Sequence[bool]) -> None:
        self.ctx = ctx
        self.saved_tensors = ctx.saved_tensors
        self.needs_input_grad = needs_input_grad

    def __getattr__(self, name: str) -> Any:
        return getattr(self.ctx, name)


def transposed(name: str, backward: Callable[..., Any], ctx: Any, tangents: Sequence[Any]) -> Any:
    """The tangents of the outputs by the transpose of the backward; None for outputs that have none."""
    one_forward_level(name)
    needed = [tangent is not None for tangent in tangents]
    context = BackwardContext(ctx, needed)
    given = [tangent for tangent in tangents if tangent is not None]
    moving = [has_derivative(like) for like in ctx.output_likes]

    def gradients(*cotangents: Any) -> Any:
        rest = iter(cotangents)
        found = backward(context, *[next(rest) if moves else None for moves in moving])
        found = found if isinstance(found, tuple) else (found,)
        wanted = [gradient for gradient, need in zip(found, needed, strict=True) if need]
        pairs = zip(wanted, given, strict=True)
        return tuple([torch.zeros_like(tangent) if x is None else x for x, tangent in pairs])

    likes = [like for like, moves in zip(ctx.output_likes, moving, strict=True) if moves]
    transpose: Any = torch.func.vjp(gradients, *map(zeros, likes))[1]
    rest = iter(transpose(tuple(given)))
    found = [next(rest) if moves else None for moves in moving]
    return found[0] if len(found) == 1 else tuple(found)


def has_derivative(like: Any) -> bool:
    """True for what is like a tensor of floats or of complex numbers; None is like no tensor."""
    return like is not None and (like.dtype.is_floating_point or like.dtype.is_complex)


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
