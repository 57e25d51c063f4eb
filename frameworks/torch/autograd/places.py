"""A tensor's place in the recorded graph, which is kept on the tensor itself."""

from __future__ import annotations

import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import torch

from pullback.engine.core.errors import NotDifferentiableError
from pullback.engine.core.hooks import Hook
from pullback.engine.reference.node import Node, Output

_LEAVES = threading.Lock()


class View:
    """The state of a view.

    base    the tensor that it shows a part of, which is no view itself
    show    makes the same view of another tensor of the base's shape and strides
    made    how: a constant of `pullback.engine.mutation.views`
    writes  how many recorded writes of the base its history has seen
    """

    __slots__ = ("base", "made", "show", "writes")

    def __init__(self, base: torch.Tensor, step: Callable[[Any], Any], made: str) -> None:
        self.base = base
        self.show = _shown(tuple(base.shape), base.stride(), step)
        self.made = made
        self.writes = place_of(base).writes


def _shown(
    shape: tuple[int, ...], strides: tuple[int, ...], step: Callable[[Any], Any]
) -> Callable[[Any], Any]:
    """A view of what has, or had, this shape and these strides. It holds no tensor."""

    def show(base: Any) -> Any:
        if (tuple(base.shape), base.stride()) != (shape, strides):  # by base.t_() and the like
            base = base.as_strided(shape, strides, base.storage_offset())
        return step(base)

    return show


class Place:
    """The position of a tensor in the graph.

    node, output  of which node's results it is; no node for a leaf and for a constant
    view          its state as a view, or None
    writes        recorded ones, into the tensor or a view of it
    """

    __slots__ = ("leaf", "node", "output", "view", "writes")

    def __init__(self, node: Node | None = None, output: int = 0, view: View | None = None) -> None:
        self.node = node
        self.output = output
        self.view = view
        self.writes = 0
        self.leaf: weakref.ref[Leaf] | None = None

    def __deepcopy__(self, memo: dict[int, Any]) -> None:
        """A copy of a tensor has no place in the graph."""

    def __reduce__(self) -> tuple[type[None], tuple[()]]:
        """As for a copy."""
        return type(None), ()


class Leaf(Node):
    """Stands for a leaf: gradients that arrive here are the leaf's.

    It holds the tensor; the tensor knows it weakly, so that both go when the graph does.
    """

    __slots__ = ("tensor",)

    def __init__(self, tensor: torch.Tensor) -> None:
        super().__init__((output_of(tensor),), ())
        self.tensor = tensor

    def hooks_on(self, output: int) -> Sequence[Hook]:
        return tuple((self.tensor._backward_hooks or {}).values())


def output_of(tensor: torch.Tensor, differentiable: bool = True) -> Output:
    """The facts of a value that a backward needs, to check and make gradients for it."""
    return Output(tuple(tensor.shape), tensor.dtype, differentiable)


def known_place(tensor: torch.Tensor) -> Place | None:
    """The place of a tensor that has been seen."""
    place: Place | None = getattr(tensor, "_pullback", None)
    return place


def place_of(tensor: torch.Tensor) -> Place:
    """The place of a tensor."""
    place = known_place(tensor)
    if place is None:
        place = Place()
        tensor._pullback = place  # type: ignore[attr-defined]
    return place


def put(tensor: torch.Tensor, node: Node, output: int, view: View | None = None) -> torch.Tensor:
    """Give a tensor its place as a result of a node; PyTorch sees a tensor that requires grad."""
    tensor._pullback = Place(node, output, view)  # type: ignore[attr-defined]
    if not tensor.requires_grad:
        tensor.requires_grad_()
    share_hooks(tensor, node, output)
    return tensor


def share_hooks(tensor: torch.Tensor, node: Node, output: int) -> None:
    """Have the node's hooks on an output be the tensor's: what `register_hook` adds, the node calls."""
    hooks = node.node_hooks.hooks.setdefault(output, OrderedDict({-1: refuse_pytorch}))
    tensor._backward_hooks = hooks


def refuse_pytorch(gradient: torch.Tensor) -> NoReturn:
    """Refuse a backward of PyTorch's autograd, which takes a recorded tensor for a leaf."""
    raise NotDifferentiableError(
        "this tensor was recorded by pullback.torch.autograd: call its backward or grad, not PyTorch's"
    )


def leaf_of(tensor: torch.Tensor) -> Leaf:
    """The node of a leaf."""
    place = place_of(tensor)
    with _LEAVES:  # two threads must not make two nodes of one leaf
        leaf = place.leaf() if place.leaf is not None else None
        if leaf is None:
            leaf = Leaf(tensor)
            place.leaf = weakref.ref(leaf)
    return leaf
