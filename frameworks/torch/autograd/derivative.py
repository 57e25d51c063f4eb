"""One node's step of the backward pass: from gradients of its outputs to gradients of its inputs."""

from __future__ import annotations

from collections.abc import Sequence
from types import CellType, CodeType, FunctionType
from typing import Any

import torch

from pullback.engine.core.errors import AnomalyError, GradientShapeError, GraphFreedError
from pullback.engine.debugging import anomaly
from pullback.engine.reference.derivative import needs
from pullback.engine.reference.node import Edge, Node, OperatorNode, Output
from pullback.formulas.aten.refusals import Missing
from pullback.formulas.aten.running import Running, running

from ..derivatives.values import is_list
from .saved import unpacked
from .specialize import variant_of


def input_gradients(
    node: OperatorNode, received: Sequence[Any], wanted: set[Node] | None, recorded: bool, retained: bool
) -> list[tuple[Edge, Any]]:
    """Run the node's closure; each gradient with the edge that it goes along.

    wanted    the nodes that lead to what was asked for, None for all
    recorded  whether the backward is to be differentiated again
    retained  whether the node may run once more
    """
    if node.freed:
        raise GraphFreedError(
            f"backward came through {node.name} a second time (called at {node.called_at}), and what it "
            "saved was let go after the first. Pass retain_graph=True to every backward or grad call but the "
            "last, or compute the forward again"
        )
    needed = needs(node.edges, wanted)
    with anomaly.Running(node.forward_stack):
        gradients = _derivative(node, received, needed, recorded, retained)
    made: list[tuple[Edge, Any]] = []
    for position, (edges, gradient) in enumerate(zip(node.edges, gradients, strict=True)):
        if gradient is None or not needed[position]:
            continue
        parts = gradient if is_list(gradient) and len(edges) == len(gradient) else [gradient] * len(edges)
        for edge, part in zip(edges, parts, strict=True):
            if edge is not None and part is not None and (wanted is None or edge.node in wanted):
                made.append((edge, fitted(node, position, part, edge.node.outputs[edge.output])))
    if anomaly.is_anomaly_check_nan_enabled() or (
        torch.is_anomaly_enabled() and torch.is_anomaly_check_nan_enabled()
    ):
        _check_nan(node, made)
    return made


def _derivative(
    node: OperatorNode, received: Sequence[Any], needed: tuple[bool, ...], recorded: bool, retained: bool
) -> Sequence[Any]:
    """Call the closure with these gradients, and with what it captured."""
    operator = node.operator
    variant = variant_of(operator.name, operator.derivative.function, needed)
    cotangents = [
        _zeros(node.outputs[number]) if gradient is None and node.outputs[number].differentiable else gradient
        for number, gradient in enumerate(received)
    ]
    grouped = [
        filled if position in variant.materialize else given
        for position, (given, filled) in enumerate(
            zip(operator.grouped(received), operator.grouped(cotangents), strict=True)
        )
    ]
    if operator.again is not None and recorded:
        inputs, attributes = (unpacked(part, node, True) for part in operator.again)
        _, closure = operator.derivative.function(*inputs, **attributes)
    else:
        code = operator.code
        if variant.closure is not None and set(variant.closure.co_freevars) <= set(code.co_freevars):
            code = variant.closure
        closure = _closure(node, code, operator, recorded)
    inputs_needed = {
        id(cell.cell_contents): False
        for name, cell in zip(closure.__code__.co_freevars, closure.__closure__ or (), strict=True)
        for position, given in enumerate(operator.derivative.inputs)
        if name == given and not needed[position]
    }
    with running(Running(inputs_needed, recorded, retained)):
        found = closure(*grouped)
    return [found] if len(node.edges) == 1 else list(found)


def _closure(node: OperatorNode, code: CodeType, operator: Any, recorded: bool) -> FunctionType:
    """The closure over what the node saved."""
    saved = dict(zip(operator.code.co_freevars, node.saved, strict=True))
    cells = tuple(CellType(unpacked(saved[name], node, recorded)) for name in code.co_freevars)
    return FunctionType(code, operator.globals, code.co_name, operator.defaults, cells)


def _zeros(output: Output) -> torch.Tensor:
    return torch.zeros(output.shape, dtype=output.dtype)


def fitted(node: OperatorNode, position: int, gradient: Any, like: Output) -> torch.Tensor:
    """A gradient in the shape and dtype of its input, as PyTorch's engine fits it.

    Raises MissingDerivativeError for one that the table says is missing, GradientShapeError.
    """
    if isinstance(gradient, Missing):
        gradient.refuse()
    if tuple(gradient.shape) != like.shape:
        try:
            gradient = (
                gradient.expand(like.shape)
                if not gradient.ndim
                else torch.ops.aten.sum_to_size(gradient, like.shape)
            )
        except RuntimeError:
            raise GradientShapeError(
                f"{node.operator.span}: {node.name} gave a gradient of shape {tuple(gradient.shape)} for its "
                f"input {node.operator.derivative.inputs[position]!r} of shape {like.shape} (called at "
                f"{node.called_at})"
            ) from None
    if gradient.is_complex() and not like.dtype.is_complex:
        gradient = torch.real(gradient)
    return gradient if gradient.dtype == like.dtype else gradient.to(like.dtype)


def _check_nan(node: OperatorNode, made: Sequence[tuple[Edge, torch.Tensor]]) -> None:
    for edge, gradient in made:
        count = int(torch.isnan(gradient).sum())
        if count:
            position = next(k for k, edges in enumerate(node.edges) if edge in edges)
            raise AnomalyError(
                f"the derivative of {node.name} gave nan for its input "
                f"{node.operator.derivative.inputs[position]!r}: {count} of {gradient.numel()} values"
            )
