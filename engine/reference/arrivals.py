"""Gradients that have arrived at nodes which are still to run, and how they are added up."""

from __future__ import annotations

import heapq
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from ..calls.call import call
from ..core.hooks import call_post_accumulate
from ..transforms.forward_ad import copied
from .node import Edge, Node
from .tensor import Tensor

Gradient = Any  # an array; with create_graph a tensor


class Arrivals:
    """Gradients that have arrived at nodes which are still to run.

    add  the sum of two gradients of one value
    """

    def __init__(self, add: Callable[[Gradient, Gradient], Gradient]) -> None:
        self._add = add
        self._waiting: dict[Node, list[Gradient | None]] = {}
        self._queue: list[tuple[int, Node]] = []

    def send(self, edge: Edge, gradient: Gradient) -> None:
        """Add a gradient to what an output of a node has received so far."""
        received = self._waiting.get(edge.node)
        if received is None:
            received = self._waiting[edge.node] = [None] * len(edge.node.outputs)
            heapq.heappush(self._queue, (-edge.node.sequence, edge.node))
        before = received[edge.output]
        received[edge.output] = gradient if before is None else self._add(before, gradient)

    def __bool__(self) -> bool:
        return bool(self._queue)

    def next(self) -> tuple[Node, list[Gradient | None]]:
        """The youngest node, and what it has received for each output."""
        _, node = heapq.heappop(self._queue)
        return node, self._waiting.pop(node)


def add_arrays(before: Any, gradient: Any) -> Any:
    """The sum of two gradients of one value."""
    return np.asarray(np.add(before, gradient))


def add_tensors(before: Tensor, gradient: Tensor) -> Any:
    """The sum of two gradients of one value, recorded."""
    return call("accumulate", before, gradient)


def owned(gradient: Gradient, create_graph: bool) -> Tensor:
    """A gradient to keep: memory of its own, unless it is part of a graph."""
    if create_graph and gradient.requires_grad:
        return gradient  # type: ignore[no-any-return]
    if create_graph:
        copy: Tensor = copied(gradient)
        return copy
    return Tensor(np.array(gradient))


def for_grad(gradient: Gradient, create_graph: bool) -> Tensor:
    """A gradient for a tensor's `grad`, which people write to: another one may be the same tensor."""
    if create_graph and gradient.requires_grad:
        return call("positive", gradient)  # type: ignore[no-any-return]
    return owned(gradient, create_graph)


_ACCUMULATING = threading.Lock()


def accumulate_into(tensor: Tensor, gradient: Gradient | None, create_graph: bool) -> None:
    """Add to a tensor's `grad`, into a new tensor: who holds the old one keeps its values.

    Another thread may do the same: who comes second adds to what the first one made.
    """
    if gradient is None:
        return
    done = False
    while not done:
        before = tensor._grad
        if before is None:
            after = for_grad(gradient, create_graph)
        elif create_graph:
            after = add_tensors(before, gradient)
        else:
            after = Tensor(add_arrays(before._array, gradient))
        with _ACCUMULATING:
            done = tensor._grad is before
            if done:
                tensor._grad = after
    if tensor._after_hooks:
        call_post_accumulate(tensor._after_hooks, tensor)
