"""Gradients that arrive: added to a leaf's `grad`, or handed out."""

from __future__ import annotations

import threading

import torch

from pullback.engine.core.hooks import call_post_accumulate

_ACCUMULATING = threading.Lock()


def owned(gradient: torch.Tensor) -> torch.Tensor:
    """A gradient to hand out: memory of its own, unless it is part of a graph."""
    return gradient if gradient.requires_grad else gradient.clone()


def accumulate_into(tensor: torch.Tensor, gradient: torch.Tensor, create_graph: bool) -> None:
    """Add to a tensor's `grad`: in place, as PyTorch does, unless the backward is recorded.

    Then call the functions that a leaf's `register_post_accumulate_grad_hook` has got.
    """
    with _ACCUMULATING:
        before = tensor.grad
        if before is None:
            tensor.grad = gradient.clone()
        elif create_graph or before.layout != gradient.layout:
            tensor.grad = before + gradient
        else:
            before.add_(gradient)
    after_hooks = tensor._post_accumulate_grad_hooks
    if after_hooks:
        call_post_accumulate(after_hooks, tensor)


def retain(tensor: torch.Tensor, gradient: torch.Tensor) -> None:
    """Add to the `grad` of a tensor that retains it, which is never written in place."""
    tensor.grad = gradient.clone() if tensor.grad is None else tensor.grad + gradient
