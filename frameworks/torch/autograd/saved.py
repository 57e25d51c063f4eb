"""Saved variables: what the closure of a formula captures, kept by the node until its backward.

A leaf is kept as the tensor; of any other a detached alias, with the place in the graph that it had. The
tensor itself may get another place, by an in-place write, and a result holds the node already.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from pullback.engine.core.errors import SavedVariableError
from pullback.engine.reference.node import Edge, Edges, OperatorNode

from ..derivatives.values import flat, is_differentiable, is_list, results_of
from .places import known_place, put


class SavedTensor:
    """A tensor that must not change until it is read again.

    name    what the formula calls it
    kind    "input", "result" or "intermediate"
    edge    its place in the graph; None where it needs no gradient, and for a result
    output  number of the node's output that it is
    """

    __slots__ = ("_tensor", "_version", "edge", "kind", "name", "output")

    def __init__(
        self, name: str, kind: str, tensor: torch.Tensor, edge: Edge | None = None, output: int | None = None
    ) -> None:
        self.name = name
        self.kind = kind
        self.edge = edge
        self.output = output
        self._tensor = tensor if _is_leaf(tensor) else tensor.detach()
        self._version = tensor._version

    def value(self, node: OperatorNode) -> torch.Tensor:
        """The tensor for a backward that is not recorded."""
        self._check(node)
        return self._tensor

    def recorded(self, node: OperatorNode) -> torch.Tensor:
        """The tensor in its place in the graph."""
        self._check(node)
        if self.output is not None and node.outputs[self.output].differentiable:
            return put(self._tensor.detach(), node, self.output)
        if self.edge is None or self._tensor.requires_grad:
            return self._tensor
        return put(self._tensor.detach(), self.edge.node, self.edge.output)

    def is_intermediate(self) -> bool:
        """True for what is neither input nor result, and can depend on inputs."""
        return self.kind == "intermediate" and is_differentiable(self._tensor)

    def __str__(self) -> str:
        tensor = self._tensor
        return f"{self.name}: {self.kind}, {tensor.dtype} {tuple(tensor.shape)}".replace("torch.", "")

    def _check(self, node: OperatorNode) -> None:
        if self._tensor._version != self._version:
            raise SavedVariableError(
                f"{node.name} saved its {self.kind} {self.name!r} of shape {tuple(self._tensor.shape)} and "
                f"dtype {self._tensor.dtype} for its backward, and it was changed in place afterwards\n"
                f"  saved at version {self._version}, at {node.called_at} by {node.name} "
                f"(formula at {node.operator.span})\n"
                f"  now at version {self._tensor._version}\n"
                "  help: write x = x + y for x += y, or change a copy"
            )


def _is_leaf(tensor: torch.Tensor) -> bool:
    place = known_place(tensor)
    return tensor.requires_grad and (place is None or (place.node is None and place.view is None))


class Captures:
    """Tells what the tensors are that a closure captures: inputs and results of its formula, by identity."""

    def __init__(self, inputs: Sequence[Any], edges: Sequence[Edges], results: Any) -> None:
        self._inputs = {
            id(tensor): edge
            for value, of_input in zip(inputs, edges, strict=True)
            for tensor, edge in zip(value if is_list(value) else [value], of_input, strict=True)
        }
        self._results = {id(tensor): number for number, tensor in enumerate(flat(results_of(results)))}

    def add_input(self, tensor: torch.Tensor, edge: Edge | None) -> None:
        """Another tensor that has the value and the place of an input."""
        self._inputs[id(tensor)] = edge

    def saved(self, name: str, value: Any) -> Any:
        """A captured value as a node keeps it."""
        if isinstance(value, torch.Tensor):
            if id(value) in self._results:
                return SavedTensor(name, "result", value, output=self._results[id(value)])
            if id(value) in self._inputs:
                return SavedTensor(name, "input", value, self._inputs[id(value)])
            return SavedTensor(name, "intermediate", value)
        if type(value) in (list, tuple):
            return type(value)(self.saved(name, item) for item in value)
        return value


def unpacked(value: Any, node: OperatorNode, recorded: bool) -> Any:
    """A saved value as the closure reads it."""
    if isinstance(value, SavedTensor):
        return value.recorded(node) if recorded else value.value(node)
    if type(value) in (list, tuple):
        return type(value)(unpacked(item, node, recorded) for item in value)
    return value


def saved_tensors(value: Any) -> list[SavedTensor]:
    """The saved tensors in a value."""
    if isinstance(value, SavedTensor):
        return [value]
    if type(value) in (list, tuple):
        return [tensor for item in value for tensor in saved_tensors(item)]
    return []
