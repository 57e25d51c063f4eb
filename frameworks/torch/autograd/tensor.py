"""Results that were recorded, as tensors whose methods of autograd are those of the recording."""

from __future__ import annotations

import weakref
from typing import Any

import torch

from pullback.engine.reference.node import Edge

from .edges import edge_of
from .functional import backward
from .places import Leaf, known_place


class RecordedTensor(torch.Tensor):
    """A tensor that a recording made: PyTorch's, but for what autograd knows of it.

    Where the recording knows nothing of it, as of a copy that was loaded, it is as PyTorch's.
    """

    __torch_function__ = torch._C._disabled_torch_function_impl  # type: ignore[assignment]

    def _edge(self) -> Edge | None:
        edge = None if known_place(self) is None else edge_of(self)
        return None if edge is None or isinstance(edge.node, Leaf) else edge

    @property
    def grad_fn(self) -> Any:  # type: ignore[override]
        """The node that the tensor is a result of; None for a leaf."""
        edge = self._edge()
        return None if edge is None else edge.node

    @property
    def is_leaf(self) -> bool:  # type: ignore[override]
        """True where no node made it."""
        return self.grad_fn is None

    @property
    def retains_grad(self) -> bool:  # type: ignore[override]
        """True after `retain_grad`."""
        edge = self._edge()
        holder = None if edge is None else edge.node.node_hooks.retained.get(edge.output)
        return holder is not None and holder() is self

    def retain_grad(self) -> None:
        """Have each backward add the tensor's gradient to its `grad`."""
        edge = self._edge()
        if edge is None:
            super().retain_grad()
        else:
            edge.node.node_hooks.retained[edge.output] = weakref.ref(self)

    def backward(
        self,
        gradient: torch.Tensor | None = None,
        retain_graph: bool | None = None,
        create_graph: bool = False,
        inputs: Any = None,
    ) -> None:
        """`pullback.torch.autograd.backward` of the tensor."""
        backward(self, gradient, retain_graph, create_graph, inputs)

    def __reduce_ex__(self, protocol: Any) -> Any:
        """As PyTorch's tensor: a copy has no place in the graph."""
        return self.detach().requires_grad_(self.requires_grad).__reduce_ex__(protocol)


def become_recorded(tensor: torch.Tensor) -> None:
    """Have a tensor be of the class above. One of a class of its own stays what it is."""
    if type(tensor) is torch.Tensor:
        tensor.__class__ = RecordedTensor
