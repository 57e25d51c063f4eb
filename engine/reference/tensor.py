"""The tensor: an array with a place in a graph.

NumPy's operators, methods and functions come from the shared base class
`pullback.engine.tensor.base.Tensor`.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.errors import InferenceTensorError, NotDifferentiableError
from ..core.grad_mode import is_inference_mode_enabled
from ..core.hooks import Hook, HookHandle
from ..mutation.views import MADE_LEAF, renew
from ..tensor.base import Tensor as AnyTensor
from .node import Edge, Node, Output
from .storage import Array, Storage

_LEAVES = threading.Lock()


class View:
    """The state of a view.

    base     the tensor that it shows a part of, which is no view itself
    made     how: a constant of `pullback.engine.mutation.views`
    writes   how many recorded writes of the base its history has seen
    """

    __slots__ = ("base", "made", "writes")

    def __init__(self, base: Tensor, made: str) -> None:
        self.base = base
        self.made = made
        self.writes = base._writes


class LeafNode(Node):
    """Stands for a leaf: gradients that arrive here are the leaf's.

    It holds the tensor; the tensor knows it weakly, so that both go when the graph does.
    """

    __slots__ = ("tensor",)

    def __init__(self, tensor: Tensor) -> None:
        super().__init__((Output(tensor.shape, tensor.dtype, True),), ())
        self.tensor = tensor

    def hooks_on(self, output: int) -> Sequence[Hook]:
        return tuple(self.tensor._hooks.values()) if self.tensor._hooks else ()


class Tensor(AnyTensor):
    """An array of the reference engine. `pb.tensor` and `pb.from_numpy` make leaves."""

    __slots__ = (
        "__weakref__",
        "_after_hooks",
        "_array",
        "_grad",
        "_hooks",
        "_leaf",
        "_name",
        "_node",
        "_output",
        "_requires",
        "_storage",
        "_view",
        "_writes",
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
        view: View | None = None,
    ) -> None:
        self._array = array
        self._storage = storage or Storage(is_inference_mode_enabled())
        self._node = node
        self._output = output
        self._requires = requires_grad or node is not None
        self._grad: Tensor | None = None
        self._hooks: dict[int, Hook] | None = None
        self._after_hooks: dict[int, Hook] | None = None
        self._leaf: weakref.ref[LeafNode] | None = None
        self._view = view
        self._writes = 0  # recorded ones, into this tensor or a view of it
        self._name: str | None = None
        if name is not None:
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
        if self._view is not None:
            self._renew()
        return self._requires

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        self.requires_grad_(value)

    @property
    def is_leaf(self) -> bool:
        self._renew()
        return self._node is None

    @property
    def grad_fn(self) -> Node | None:
        self._renew()
        return self._node

    @property
    def output_nr(self) -> int:
        return self._output

    @property
    def grad(self) -> Tensor | None:
        return self._grad

    @grad.setter
    def grad(self, value: object) -> None:
        if value is not None and (
            not isinstance(value, Tensor) or (value.shape, value.dtype) != (self.shape, self.dtype)
        ):
            raise TypeError(
                f"grad must be None or a tensor of the same engine, of shape {self.shape} and dtype "
                f"{self.dtype}"
            )
        if value is self:
            raise TypeError("a tensor can't be its own grad; x.copy() is another one")
        self._grad = value

    @grad.deleter
    def grad(self) -> None:
        self._grad = None

    @property
    def name(self) -> str | None:
        return self._name

    @name.setter
    def name(self, value: str | None) -> None:
        if not isinstance(value, str | None):
            raise TypeError(f"name must be a str or None, not {type(value).__name__}")
        self._name = value

    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
        if requires_grad and self._storage.inference and not is_inference_mode_enabled():
            raise InferenceTensorError(
                "a tensor that was made in inference mode can't require grad outside of it; x.copy() is an "
                "ordinary tensor"
            )
        if self.grad_fn is not None and not requires_grad:
            raise NotDifferentiableError(
                "requires_grad can only be taken from a leaf; x.detach() is the same value without its "
                "history"
            )
        if requires_grad and self.dtype.kind not in "fc":
            raise NotDifferentiableError(
                f"only tensors of a float or complex dtype can require grad, and this is {self.dtype}"
            )
        self._requires = requires_grad or self._node is not None
        if self._view is not None and requires_grad and self._node is None:
            self._view.made = MADE_LEAF
        return self

    def detach(self) -> Tensor:
        return Tensor(self._array, self._storage, name=self.name)

    def register_hook(self, hook: Hook) -> HookHandle:
        if not self.requires_grad:
            raise NotDifferentiableError(
                "a hook needs a tensor that requires grad: no gradient reaches this one"
            )
        if self._node is not None:
            return HookHandle(self._node.node_hooks.hooks.setdefault(self._output, {}), hook)
        if self._hooks is None:
            self._hooks = {}
        return HookHandle(self._hooks, hook)

    def register_post_accumulate_grad_hook(self, hook: Hook) -> HookHandle:
        if self._node is not None or not self._requires:
            raise NotDifferentiableError(
                "a hook after accumulation needs a leaf that requires grad: only there gradients are "
                "accumulated; register_hook works on any tensor that requires grad"
            )
        if self._after_hooks is None:
            self._after_hooks = {}
        return HookHandle(self._after_hooks, hook)

    def retain_grad(self) -> None:
        if not self.requires_grad:
            raise NotDifferentiableError("retain_grad needs a tensor that requires grad")
        if self._node is not None:
            self._node.node_hooks.retained[self._output] = weakref.ref(self)

    def edge(self) -> Edge | None:
        """The edge to which a gradient of this tensor goes; None where it doesn't require one."""
        if self._view is not None:
            self._renew()
        if self._node is not None:
            return tuple.__new__(Edge, (self._node, self._output))
        if not self._requires:
            return None
        with _LEAVES:  # two threads must not make two nodes of one leaf
            leaf = self._leaf() if self._leaf is not None else None
            if leaf is None:
                leaf = LeafNode(self)
                self._leaf = weakref.ref(leaf)
        return Edge(leaf, 0)

    @property
    def _base(self) -> Tensor | None:
        return None if self._view is None else self._view.base

    @property
    def _made(self) -> str | None:
        return None if self._view is None else self._view.made

    def _renew(self) -> None:
        """Have a history of the present values: that of a view is old after a write into its base."""
        view = self._view
        if view is not None and view.writes != view.base._writes:
            renew(self)

    def _rebase(self, result: Tensor) -> None:
        """Take over the history of a result, whose values were written into this tensor's memory.

        It may have none. A retained gradient is that of the new values; hooks stay with the old ones.
        """
        node, output = result._node, result._output
        retained = self._node.node_hooks.retained if self._node is not None else {}
        if self._output in retained and retained[self._output]() is self:
            holder = retained.pop(self._output)
            if node is not None:
                node.node_hooks.retained[output] = holder
        self._node, self._output, self._requires = node, output, node is not None
        if self._view is None:
            self._writes += 1
        else:
            self._view.writes = self._view.base._writes

    @property
    def _version(self) -> int:
        return self._storage.version

    @property
    def _written_at(self) -> int:
        return self._storage.written_at

    @property
    def _written(self) -> str:
        return self._storage.written

    def _bump_version(self, what: str = "a write") -> None:
        self._storage.bump_version(what)

    def is_inference(self) -> bool:
        return self._storage.inference

    def _exported(self) -> Array:
        return self._storage.export(self._array)
