"""Edges: where the gradient of a tensor goes."""

from __future__ import annotations

from typing import Any

import torch

from pullback.engine.core.errors import NotDifferentiableError
from pullback.engine.reference.node import Edge, Edges

from .places import known_place, leaf_of
from .views import renew

_HISTORY: Any = vars(torch._C.TensorBase)["grad_fn"]  # of PyTorch's autograd, for a recorded tensor too


def edge_of(value: Any) -> Edge | None:
    """The edge to which a gradient of a value goes; None for what needs none.

    Raises NotDifferentiableError for a tensor with a history of PyTorch's own autograd.
    """
    if not isinstance(value, torch.Tensor):
        return None
    place = known_place(value)
    if place is not None and place.view is not None:
        renew(value, place.view)
        place = known_place(value)
    if not value.requires_grad:
        return None
    if place is not None and place.node is not None:
        return Edge(place.node, place.output)
    if place is not None and place.view is not None and place.view.base.requires_grad:
        return None  # made with recording off
    history = _HISTORY.__get__(value)
    if history is not None:
        raise NotDifferentiableError(
            f"a tensor of shape {tuple(value.shape)} has a history of PyTorch's autograd "
            f"({history.name()}), which this recording cannot continue: compute it inside of the "
            "block, or pass x.detach()"
        )
    return Edge(leaf_of(value), 0)


def edges_of(value: Any) -> Edges:
    """The edges of an input: one, or one per element of a list."""
    if isinstance(value, list | tuple):
        return tuple(map(edge_of, value))
    return (edge_of(value),)
