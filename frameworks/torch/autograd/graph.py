"""The recorded graph behind torch tensors, as DOT and as a picture."""

from __future__ import annotations

from typing import Any

import torch

from pullback.engine.core.errors import NotDifferentiableError
from pullback.engine.debugging.graph import Graph, GraphNode, oldest_first
from pullback.engine.reference.node import Node, OperatorNode

from .edges import edge_of
from .places import Leaf
from .saved import saved_tensors


def graph(tensors: Any) -> Graph:
    """The recorded graph behind a tensor, or several.

    Each node shows its operator's name and the tensors that it saves for the backward.

    Parameters
    ----------
    tensors : Tensor or sequence of Tensor
        Tensors that require grad, and were recorded.

    Returns
    -------
    pullback.Graph
        Its nodes, oldest first; `dot` is text for Graphviz, `svg()` a picture.

    Raises
    ------
    NotDifferentiableError
        A tensor that doesn't require grad, or was not recorded.
    TypeError
        Something that is no tensor.

    Examples
    --------
    >>> import torch, pullback.torch.autograd as autograd
    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> with autograd.record():
    ...     g = autograd.graph(x.exp().sum())
    >>> for node in g.nodes:
    ...     print(node.lines)
    ['leaf', 'float32 (2,)']
    ['exp', 'result: result, float32 (2,)']
    ['sum']
    """
    roots = []
    for tensor in tensors if isinstance(tensors, list | tuple) else (tensors,):
        if not isinstance(tensor, torch.Tensor):
            raise TypeError(f"autograd.graph shows what is behind tensors, not {type(tensor).__name__}")
        edge = edge_of(tensor)
        if edge is None:
            raise NotDifferentiableError("this tensor doesn't require grad, so there is no graph behind it")
        roots.append(edge.node)
    order = oldest_first(roots)
    index = {id(node): position for position, node in enumerate(order)}
    return Graph([_shown(node, index) for node in order])


def _shown(node: Node, index: dict[int, int]) -> GraphNode:
    inputs = [index[id(older)] for older, _ in node.next_functions if older is not None]
    return GraphNode(node.name, getattr(node, "called_at", ""), _saved(node), inputs)


def _saved(node: Node) -> list[str]:
    """The tensors that a node saves, a line each; of a leaf its dtype and shape."""
    if isinstance(node, Leaf):
        return [f"{node.tensor.dtype} {tuple(node.tensor.shape)}".removeprefix("torch.")]
    if not isinstance(node, OperatorNode):
        return []
    return ["(let go)"] if node.freed else [str(tensor) for tensor in saved_tensors(node.saved)]
