"""Saved variables: what a node keeps of the forward until its backward.

An input is kept as the tensor. An output is kept as memory and its place among
the node's outputs, never as the tensor: the tensor holds the node already, and
the cycle would outlive the graph. Numbers, sizes and arrays of the caller are
kept as they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import SavedVariableError
from .storage import Array, Storage

if TYPE_CHECKING:
    from .node import OperatorNode
    from .tensor import Tensor


class SavedVariable:
    """An array that must not change until it is read again."""

    __slots__ = ("__weakref__", "_storage", "_version", "name")

    def __init__(self, name: str, storage: Storage) -> None:
        self.name = name
        self._storage = storage
        self._version = storage.version
        storage.keep()

    def __del__(self) -> None:
        self._storage.release()

    def _check(self, node: OperatorNode, what: str, array: Array) -> None:
        if self._storage.version != self._version:
            written = f", last at {self._storage.written_at}" if self._storage.written_at else ""
            raise SavedVariableError(
                f"{node.name} saved {what} {self.name!r} of shape {array.shape} and dtype {array.dtype} "
                "for its "
                f"backward, and it was changed in place afterwards{written}: version "
                f"{self._storage.version}, "
                f"saved at version {self._version}.\n"
                f"  called at {node.called_at}, formula at {node.operator.span}\n"
                "  help: write x = x + y for x += y, or change a copy"
            )


class SavedInput(SavedVariable):
    """A tensor that the operator was called with."""

    __slots__ = ("tensor",)

    def __init__(self, name: str, tensor: Tensor) -> None:
        super().__init__(name, tensor._storage)
        self.tensor = tensor

    def array(self, node: OperatorNode) -> Array:
        """The values, checked."""
        what = f"its input (tensor {self.tensor.name!r})" if self.tensor.name else "its input"
        self._check(node, what, self.tensor._array)
        return self.tensor._array

    def unpack(self, node: OperatorNode) -> Tensor:
        """The tensor, checked."""
        self.array(node)
        return self.tensor


class SavedOutput(SavedVariable):
    """A result or hidden output of the node that keeps it."""

    __slots__ = ("_array", "_output")

    def __init__(self, name: str, array: Array, storage: Storage, output: int) -> None:
        super().__init__(name, storage)
        self._array = array
        self._output = output

    def array(self, node: OperatorNode) -> Array:
        """The values, checked."""
        self._check(node, "its output", self._array)
        return self._array

    def unpack(self, node: OperatorNode) -> Tensor:
        """A tensor that hangs on the node again, so that a gradient finds its way to this output."""
        from .tensor import Tensor

        array = self.array(node)
        name = self.name if self._output >= node.operator.n_results else None
        if node.outputs[self._output].differentiable:
            return Tensor(array, self._storage, node=node, output=self._output, name=name)
        return Tensor(array, self._storage, name=name)


def saved_arrays(value: Any, node: OperatorNode) -> Any:
    """What `save` kept, as arrays."""
    if isinstance(value, (SavedInput, SavedOutput)):
        return value.array(node)
    if type(value) is list:
        return [saved_arrays(item, node) for item in value]
    return value


def saved_tensors(value: Any, node: OperatorNode) -> Any:
    """What `save` kept, as tensors that are part of the graph."""
    if isinstance(value, (SavedInput, SavedOutput)):
        return value.unpack(node)
    if type(value) is list:
        return [saved_tensors(item, node) for item in value]
    return value


def holds_array(value: Any) -> bool:
    """Whether a kept value is more than a size or a number, and so is let go after a backward."""
    if type(value) is list:
        return any(map(holds_array, value))
    return isinstance(value, SavedVariable) or (isinstance(value, np.ndarray) and value.ndim > 0)
