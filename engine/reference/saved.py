"""Saved variables: what a node saves of the forward until its backward.

A leaf is saved as the tensor, any other value as memory and its place in the
graph as it was. The tensor itself may get another place, by an in-place write,
and it holds the node already if it is an output: the cycle would outlive the
graph. Numbers, sizes and arrays of the caller are saved as they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..core.errors import InferenceTensorError, SavedVariableError
from ..core.saved_hooks import Packed
from ..mutation.views import described
from .storage import Array, Storage

if TYPE_CHECKING:
    from .node import Edge, Node, OperatorNode
    from .tensor import Tensor


class SavedTensor:
    """An array that must not change until it is read again, and its place in the graph.

    name    what the formula calls it
    title   the name of the tensor that it is of
    node    whose output it is, the one that saves it aside
    output  which of them
    leaf    the tensor itself, of a leaf that requires grad
    """

    part: ClassVar[str]
    __slots__ = ("_array", "_leaf", "_node", "_output", "_storage", "_title", "_version", "name")

    def __init__(
        self,
        name: str,
        array: Array,
        storage: Storage,
        output: int,
        node: Node | None = None,
        leaf: Tensor | None = None,
        title: str | None = None,
    ) -> None:
        self.name = name
        self._title = title
        self._array = array
        self._storage = storage
        self._version = storage.version
        self._node = node
        self._output = output
        self._leaf = leaf
        storage.keep()
        if storage.inference:
            from .tensor import Tensor

            this = described(Tensor(array, storage, name=title))
            raise InferenceTensorError(
                f"this {this} was made in inference mode and can't be saved for a backward: use x.copy() of "
                "it, or make it under pb.no_grad()"
            )

    def __del__(self) -> None:
        self._storage.release()

    def array(self, node: OperatorNode) -> Array:
        """The values. Raises SavedVariableError where they were written since."""
        storage = self._storage
        if storage.version != self._version:
            title = f" (tensor {self._title!r})" if self._title else ""
            raise SavedVariableError(
                f"{node.name} saved {self.part}{title} {self.name!r} of shape {self._array.shape} and dtype "
                f"{self._array.dtype} for its backward, and it was changed in place afterwards\n"
                f"  saved at version {self._version}, at {node.called_at} by {node.name} "
                f"(formula at {node.operator.span})\n"
                f"  now at version {storage.version}, changed at {storage.written}\n"
                "  help: write x = x + y for x += y, or change a copy"
            )
        return self._array


class SavedInput(SavedTensor):
    """A tensor that the operator was called with."""

    part = "its input"
    __slots__ = ()

    def unpack(self, node: OperatorNode) -> Tensor:
        """The tensor as it was, checked."""
        from .tensor import Tensor

        array = self.array(node)
        if self._leaf is not None:
            return self._leaf
        return Tensor(array, self._storage, node=self._node, output=self._output, name=self._title)


class SavedOutput(SavedTensor):
    """A result or hidden output of the node that keeps it."""

    part = "its output"
    __slots__ = ()

    def unpack(self, node: OperatorNode) -> Tensor:
        """A tensor that hangs on the node again, so that a gradient finds its way to this output."""
        from .tensor import Tensor

        array = self.array(node)
        name = self.name if self._output >= node.operator.n_results else None
        if node.outputs[self._output].differentiable:
            return Tensor(array, self._storage, node=node, output=self._output, name=name)
        return Tensor(array, self._storage, name=name)


class SavedPacked:
    """A tensor or array in the form that a pack hook gave it, and its place in the graph.

    edge    of an input that requires grad
    output  number of the node's output that it is
    tensor  whether a recorded derivative gets a tensor; an array otherwise
    """

    __slots__ = ("_edge", "_output", "_packed", "_tensor")

    def __init__(
        self, packed: Packed, edge: Edge | None = None, output: int | None = None, tensor: bool = True
    ) -> None:
        self._packed = packed
        self._edge = edge
        self._output = output
        self._tensor = tensor

    @property
    def size(self) -> tuple[tuple[int, ...], np.dtype[Any]]:
        """Shape and dtype of the array."""
        return self._packed.size

    def array(self, node: OperatorNode) -> Array:
        """The values, unpacked."""
        array: Array = self._packed.tensor()._array
        return array

    def unpack(self, node: OperatorNode) -> Any:
        """A tensor in the place of what was packed; the array where that was none."""
        from .tensor import Tensor

        array = self.array(node)
        if not self._tensor:
            return array
        if self._output is not None and node.outputs[self._output].differentiable:
            return Tensor(array, node=node, output=self._output)
        if self._edge is not None:
            return Tensor(array, node=self._edge.node, output=self._edge.output)
        return Tensor(array)


_SAVED = (SavedInput, SavedOutput, SavedPacked)


def saved_arrays(value: Any, node: OperatorNode) -> Any:
    """The saved values, as arrays."""
    if isinstance(value, _SAVED):
        return value.array(node)
    if type(value) is list:
        return [saved_arrays(item, node) for item in value]
    return value


def saved_tensors(value: Any, node: OperatorNode) -> Any:
    """The saved values, as tensors that are part of the graph."""
    if isinstance(value, _SAVED):
        return value.unpack(node)
    if type(value) is list:
        return [saved_tensors(item, node) for item in value]
    return value


def holds_array(value: Any) -> bool:
    """True for a saved value that is more than a size or a number, and so is freed after a backward."""
    if isinstance(value, _SAVED):
        return True
    if type(value) is list:
        return any(map(holds_array, value))
    return isinstance(value, np.ndarray) and value.ndim > 0
