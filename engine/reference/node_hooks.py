"""Calling the hooks of a node, with gradients as tensors that can't be written to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..core.hooks import call_posthooks, call_prehooks, fitting
from .arrivals import Gradient, for_grad
from .node import Edge, Node, OperatorNode, Output
from .tensor import Tensor


def call_tensor_hooks(node: Node, received: list[Gradient | None], create_graph: bool) -> None:
    """Call the hooks on each gradient, then give it to tensors that retain theirs."""
    for output, gradient in enumerate(received):
        hooks, retained = node.hooks_on(output), node.node_hooks.retained
        if gradient is None or not (hooks or output in retained):
            continue
        tensor = gradient if create_graph else Tensor(_read_only(gradient))
        for hook in hooks:
            replaced = hook(tensor)
            if replaced is not None:
                place = node.outputs[output]
                tensor = fitting(replaced, tensor, (place.shape, place.dtype))
        received[output] = tensor if create_graph else tensor._array
        holder = retained[output]() if output in retained else None
        if holder is not None:
            holder._grad = for_grad(received[output], create_graph)


def _read_only(array: Any) -> Any:
    view = array.view()
    view.flags.writeable = False
    return view


def after_prehooks(node: Node, received: list[Gradient | None], create_graph: bool) -> list[Gradient | None]:
    """The gradients that the node runs with, after its prehooks. Hidden outputs are not shown to hooks."""
    shown = _results(node, received)
    likes = [(output.shape, output.dtype) for output in node.outputs[: len(shown)]]
    found = call_prehooks(node.node_hooks.prehooks, for_hooks(shown, create_graph), likes)
    return [*_from_hooks(found, create_graph), *received[len(shown) :]]


def after_posthooks(
    node: Node, sent: list[tuple[Edge, Gradient]], received: list[Gradient | None], create_graph: bool
) -> list[tuple[Edge, Gradient]]:
    """The gradients that go on, after the hooks, which see a gradient per edge of the node."""
    edges = [edge for edges in node.edges for edge in edges]
    waiting = iter(sent)
    following = next(waiting, None)
    by_edge: list[Gradient | None] = [None] * len(edges)
    for position, edge in enumerate(edges):
        if following is not None and following[0] is edge:
            by_edge[position] = following[1]
            following = next(waiting, None)
    outputs = [Output((), np.dtype(float), False) if e is None else e.node.outputs[e.output] for e in edges]
    found = call_posthooks(
        node.node_hooks.posthooks,
        for_hooks(by_edge, create_graph),
        for_hooks(_results(node, received), create_graph),
        [(output.shape, output.dtype) for output in outputs],
    )
    pairs = zip(edges, _from_hooks(found, create_graph), strict=True)
    return [(edge, gradient) for edge, gradient in pairs if edge is not None and gradient is not None]


def _results(node: Node, received: list[Gradient | None]) -> list[Gradient | None]:
    return received[: node.operator.n_results] if isinstance(node, OperatorNode) else received


def for_hooks(gradients: Iterable[Gradient | None], create_graph: bool) -> tuple[Tensor | None, ...]:
    """Gradients as hooks see them: in a plain backward they can't be written to."""
    if create_graph:
        return tuple(gradients)
    return tuple(None if gradient is None else Tensor(_read_only(gradient)) for gradient in gradients)


def _from_hooks(gradients: Iterable[Tensor | None], create_graph: bool) -> list[Gradient | None]:
    return [g if create_graph or g is None else g._array for g in gradients]
