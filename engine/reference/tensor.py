"""The tensor: an array with a place in a graph.

NumPy's operators, methods and functions come from the shared base class
`pullback.engine.tensor.Tensor`.
"""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from ..callsite import callsite
from ..errors import NotDifferentiableError
from ..hooks import Hook, HookHandle
from ..tensor import Tensor as AnyTensor
from .node import Edge, LeafNode, Node
from .storage import Array, Storage


class Tensor(AnyTensor):
    """An array of the reference engine. `pb.tensor` and `pb.from_numpy` make leaves."""

    __slots__ = (
        "__weakref__",
        "_array",
        "_grad",
        "_hooks",
        "_leaf",
        "_node",
        "_output",
        "_requires",
        "_storage",
        "name",
    )

    def __init__(
        self,
        array: Array,
        storage: Storage | None = None,
        *,
        requires_grad: bool = False,
        node: Node | None = None,
        output: int = 0,
        name: str | None = None,
    ) -> None:
        self._array = array
        self._storage = storage or Storage()
        self._node = node
        self._output = output
        self._requires = requires_grad or node is not None
        self._grad: Tensor | None = None
        self._hooks: dict[int, Hook] | None = None
        self._leaf: weakref.ref[LeafNode] | None = None
        self.name = name

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self._array.shape)

    @property
    def dtype(self) -> np.dtype[Any]:
        dtype: np.dtype[Any] = self._array.dtype
        return dtype

    @property
    def ndim(self) -> int:
        return self._array.ndim

    @property
    def size(self) -> int:
        return self._array.size

    @property
    def requires_grad(self) -> bool:
        return self._requires

    @property
    def is_leaf(self) -> bool:
        return self._node is None

    @property
    def grad_fn(self) -> Node | None:
        return self._node

    @property
    def grad(self) -> Tensor | None:
        return self._grad

    @grad.setter
    def grad(self, value: Tensor | None) -> None:
        if value is not None and (not isinstance(value, Tensor) or value.shape != self.shape):
            raise TypeError(f"grad must be None or a tensor of the same engine and of shape {self.shape}")
        self._grad = value

    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
        if self._node is not None and not requires_grad:
            raise NotDifferentiableError(
                "requires_grad can only be taken from a leaf; x.detach() is the same value without its "
                "history"
            )
        if requires_grad and self.dtype.kind != "f":
            raise NotDifferentiableError(
                f"only tensors of a float dtype can require grad, and this is {self.dtype}"
            )
        self._requires = requires_grad
        return self

    def detach(self) -> Tensor:
        return Tensor(self._array, self._storage, name=self.name)

    def register_hook(self, hook: Hook) -> HookHandle:
        if not self._requires:
            raise NotDifferentiableError(
                "a hook needs a tensor that requires grad: no gradient reaches this one"
            )
        if self._node is not None:
            return HookHandle(self._node.hooks.setdefault(self._output, {}), hook)
        if self._hooks is None:
            self._hooks = {}
        return HookHandle(self._hooks, hook)

    def retain_grad(self) -> None:
        if not self._requires:
            raise NotDifferentiableError("retain_grad needs a tensor that requires grad")
        if self._node is not None:
            self._node.retained[self._output] = weakref.ref(self)

    def edge(self) -> Edge | None:
        """Where a gradient of this tensor goes; None where it doesn't require one."""
        if self._node is not None:
            return Edge(self._node, self._output)
        if not self._requires:
            return None
        leaf = self._leaf() if self._leaf is not None else None
        if leaf is None:
            leaf = LeafNode(self)
            self._leaf = weakref.ref(leaf)
        return Edge(leaf, 0)

    @property
    def _version(self) -> int:
        return self._storage.version

    def _bump_version(self) -> None:
        self._storage.version += 1
        self._storage.written_at = callsite()

    def _exported(self) -> Array:
        return self._storage.export(self._array)
