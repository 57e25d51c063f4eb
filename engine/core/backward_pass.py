"""A backward that runs now, as hooks and checkpoints see it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class BackwardPass:
    """The state of one backward, which is freed when it ends.

    outputs  the tensors that it started from
    inputs   the tensors that were asked for; None where every leaf gets its gradient
    scratch  whatever somebody needs to remember until the end
    """

    __slots__ = ("__weakref__", "_executed", "inputs", "outputs", "scratch")

    def __init__(self, outputs: Sequence[Any], inputs: Sequence[Any] | None) -> None:
        self.outputs = tuple(outputs)
        self.inputs = None if inputs is None else tuple(inputs)
        self.scratch: dict[Any, Any] = {}
        self._executed: frozenset[int] | None = None

    def executes(self, place: Any) -> bool:
        """True where this node runs, or this leaf gets a gradient."""
        if self._executed is None:
            self._executed = self._find()
        return id(place) in self._executed

    def _find(self) -> frozenset[int]:
        """Ids of the nodes that run, and of the leaves that get a gradient."""
        older: dict[Any, list[Any]] = {}
        order = []
        stack = [(_place(tensor), False) for tensor in self.outputs]
        while stack:
            node, ready = stack.pop()
            if ready:
                order.append(node)
            elif node not in older:
                next_functions = getattr(node, "next_functions", ())
                older[node] = [_leaf_of(found) for found, _ in next_functions if found is not None]
                stack.append((node, True))
                stack += [(found, False) for found in older[node]]
        if self.inputs is None:
            return frozenset(map(id, order))
        leading = {_place(tensor) for tensor in self.inputs}
        for node in order:  # each after all that it reads
            if any(found in leading for found in older[node]):
                leading.add(node)
        return frozenset(map(id, leading))


def _place(tensor: Any) -> Any:
    return tensor if tensor.grad_fn is None else tensor.grad_fn


def _leaf_of(node: Any) -> Any:
    """The tensor, for the node of a leaf."""
    leaf = getattr(node, "tensor", None)
    return node if leaf is None else leaf
