"""One node's step of the backward pass: from gradients of its outputs to gradients of its inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.complex_values import in_dtype
from ..core.errors import GradientShapeError, GraphFreedError
from ..debugging import anomaly
from .node import BarrierNode, Edge, Edges, Node, OperatorNode, Output
from .saved import saved_arrays, saved_tensors
from .tensor import Tensor


def input_gradients(
    node: Node,
    received: Sequence[Any],
    defined: tuple[bool, ...],
    needed: tuple[bool, ...],
    wanted: set[Node] | None,
    create_graph: bool,
) -> list[tuple[Edge, Any]]:
    """Run the node's derivative; each gradient with the edge that it goes along.

    defined  the outputs that have received a gradient
    needed   the inputs that lead to what was asked for
    wanted   the nodes that lead there; None for all
    """
    if isinstance(node, BarrierNode):
        node.refuse()
    assert isinstance(node, OperatorNode)
    record = create_graph and not node.operator.barrier
    if anomaly.is_anomaly_enabled():
        with anomaly.Running(node.forward_stack):
            gradients = _derivative(node, received, defined, needed, record)
    else:
        gradients = _derivative(node, received, defined, needed, record)
    kind = Tensor if record else np.ndarray
    made: list[tuple[Edge, Any]] = []
    for position, gradient in enumerate(gradients):
        if gradient is None or not needed[position]:
            continue
        parts = gradient if type(gradient) in (list, tuple) else (gradient,)
        for edge, part in zip(node.edges[position], parts, strict=True):
            if edge is not None and part is not None and (wanted is None or edge.node in wanted):
                output = edge.node.outputs[edge.output]
                if type(part) is not kind or part.shape != output.shape or part.dtype != output.dtype:
                    part = _fitting(node, position, output, part, record)
                made.append((edge, part))
    if create_graph and not record:
        made = _behind_barrier(node, received, made)
    if anomaly.is_anomaly_check_nan_enabled():
        anomaly.check_nan(node, [gradient for _, gradient in made])
    return made


def needs(edges: Sequence[Edges], wanted: set[Node] | None) -> tuple[bool, ...]:
    """For each input, True where an edge of it leads to a tensor whose gradient was asked for."""
    if wanted is None:
        return tuple(map(any, edges))
    return tuple([any(edge is not None and edge.node in wanted for edge in of_input) for of_input in edges])


def _derivative(
    node: OperatorNode,
    received: Sequence[Any],
    defined: tuple[bool, ...],
    needed: tuple[bool, ...],
    record: bool,
) -> Sequence[Any]:
    """Call the variant for these gradients: on tensors to be recorded, else on arrays."""
    saved_values = node.saved  # another thread may let them go
    if node.freed:
        raise GraphFreedError(
            f"backward came through {node.name} a second time (called at {node.called_at}), and what it "
            "saved was "
            "let go after the first. Pass retain_graph=True to every backward or grad call but the last, "
            "or compute "
            "the forward again"
        )
    variant = node.operator.backward(defined, needed)
    cotangents = list(received) if record else [_as_array(gradient) for gradient in received]
    for index in variant.materialize:
        if cotangents[index] is None:
            cotangents[index] = _zeros(node.outputs[index], record)
    unpack = saved_tensors if record else saved_arrays
    saved: list[Any] = [None] * len(saved_values)
    for index in variant.reads:
        saved[index] = unpack(saved_values[index], node)
    gradients: Sequence[Any] = variant.call(saved, cotangents)
    return gradients


def _as_array(gradient: Any) -> Any:
    """A gradient as it is computed with where nothing is recorded: behind a barrier it is a tensor."""
    return gradient._array if type(gradient) is Tensor else gradient


def _zeros(output: Output, record: bool) -> Any:
    zeros = np.zeros(output.shape, output.dtype)
    return Tensor(zeros) if record else zeros


def _fitting(node: OperatorNode, position: int, output: Output, gradient: Any, record: bool) -> Any:
    """The gradient in its input's dtype; its shape must be the input's."""
    if not record:
        gradient = _as_array(gradient)
    if not isinstance(gradient, Tensor):
        gradient = np.asarray(gradient)
    if gradient.shape != output.shape:
        name = node.operator.inputs[position].var.name
        raise GradientShapeError(
            f"{node.operator.span}: {node.name} gave a gradient of shape {gradient.shape} for its input "
            f"{name!r} of "
            f"shape {output.shape} (called at {node.called_at})"
        )
    if gradient.dtype != output.dtype:
        gradient = in_dtype(gradient, output.dtype)
    return Tensor(gradient) if record and not isinstance(gradient, Tensor) else gradient


def _behind_barrier(
    node: OperatorNode, received: Sequence[Tensor | None], made: Sequence[tuple[Edge, Any]]
) -> list[tuple[Edge, Any]]:
    """The gradients as tensors that may be used, and refuse to be differentiated."""
    incoming: Edges = tuple(tensor.edge() for tensor in received if tensor is not None)
    outputs = tuple(Output(array.shape, array.dtype, True) for _, array in made)
    barrier = BarrierNode(node.operator, outputs, (*node.edges, incoming))
    return [(edge, Tensor(array, node=barrier, output=i)) for i, (edge, array) in enumerate(made)]
