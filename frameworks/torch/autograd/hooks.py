"""Calling the hooks of a node; their order is that of `pullback.engine.core.hooks`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from pullback.engine.core.errors import GradientShapeError
from pullback.engine.reference.node import Edge, Node, Output

from .leaves import retain
from .places import refuse_pytorch


def call_tensor_hooks(node: Node, received: list[Any]) -> None:
    """Call the hooks on each gradient, then give it to tensors that retain theirs."""
    for output, gradient in enumerate(received):
        hooks = [hook for hook in node.hooks_on(output) if hook is not refuse_pytorch]
        if gradient is None or not (hooks or output in node.node_hooks.retained):
            continue
        for hook in hooks:
            gradient = _fitting(hook(gradient), gradient, node.outputs[output], "a hook")
        received[output] = gradient
        holder = node.node_hooks.retained[output]() if output in node.node_hooks.retained else None
        if holder is not None:
            retain(holder, gradient)


def after_prehooks(node: Node, received: list[Any]) -> list[Any]:
    """The gradients that a node runs with, after ``hook(grad_outputs)`` of each hook before it."""
    for hook in tuple(node.node_hooks.prehooks.values()):
        received = _replaced(hook(tuple(received)), received, node.outputs, "a hook before a node")
    return received


def after_posthooks(node: Node, sent: list[tuple[Edge, Any]], received: list[Any]) -> list[tuple[Edge, Any]]:
    """The gradients that go on, after the hooks, which see a gradient per edge of the node."""
    if not node.node_hooks.posthooks:
        return sent
    edges = [edge for edges in node.edges for edge in edges]
    waiting = list(sent)
    gradients: list[Any] = []
    for edge in edges:
        matches = bool(waiting) and waiting[0][0] is edge
        gradients.append(waiting.pop(0)[1] if matches else None)
    likes = [Output((), torch.float32, False) if e is None else e.node.outputs[e.output] for e in edges]
    for hook in tuple(node.node_hooks.posthooks.values()):
        given = hook(tuple(gradients), tuple(received))
        gradients = _replaced(given, gradients, likes, "a hook after a node")
    return [
        (edge, gradient)
        for edge, gradient in zip(edges, gradients, strict=True)
        if edge is not None and gradient is not None
    ]


def _replaced(given: Any, before: list[Any], likes: Sequence[Output], what: str) -> list[Any]:
    """The gradients that a hook returned in place of those that it got; None leaves them."""
    if given is None:
        return before
    given = given if isinstance(given, tuple | list) else (given,)
    if len(given) != len(before):
        raise ValueError(f"{what} returned {len(given)} gradients in the place of {len(before)}")
    return [
        None if one is None else _fitting(one, one, like, what)
        for one, like in zip(given, likes, strict=True)
    ]


def _fitting(given: Any, before: Any, like: Output, what: str) -> Any:
    """The gradient that a hook returned in place of one; None leaves it."""
    if given is None:
        return before
    if not isinstance(given, torch.Tensor):
        raise TypeError(f"{what} returns tensors or None, not {type(given).__name__}")
    if tuple(given.shape) != like.shape:
        raise GradientShapeError(
            f"{what} replaced a gradient of shape {like.shape} by one of {tuple(given.shape)}"
        )
    return given.to(like.dtype)
