"""A call of an operator that has a formula: run it, record a node, give the results their places."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.utils._pytree import tree_map_only

from pullback.engine.core.callsite import caller
from pullback.engine.debugging import anomaly
from pullback.engine.reference.node import Edges, OperatorNode, Output

from ..derivatives.table import Derivative
from ..derivatives.values import flat, is_differentiable, is_list, results_of
from .below import below
from .edges import edges_of
from .places import output_of, put
from .saved import Captures, saved_tensors
from .specialize import Variant, variant_of
from .tensor import become_recorded

_NOTHING = Output((), torch.get_default_dtype(), False)


class Recorded:
    """The facts that a node keeps of the call that it recorded.

    mode     the recording
    variant  the formula, for the inputs that need a gradient
    form     per result None, or for a list of results how many they are
    code     of the closure, whose captured values the node has saved
    again    the variant's function on its inputs, where the closure captures intermediates: a backward that
             is recorded computes these anew
    """

    def __init__(
        self,
        mode: Any,
        derivative: Derivative,
        variant: Variant,
        results: Sequence[Any],
        closure: Callable[..., Any],
    ) -> None:
        self.mode = mode
        self.derivative = derivative
        self.variant = variant
        self.form = tuple(len(each) if is_list(each) else None for each in results)
        self.n_results = sum(1 if count is None else count for count in self.form)
        self.code = closure.__code__
        self.globals = closure.__globals__
        self.defaults = closure.__defaults__
        self.again: tuple[list[Any], dict[str, Any]] | None = None

    @property
    def name(self) -> str:
        """The operator."""
        return self.variant.name

    @property
    def span(self) -> str:
        """The place of the formula."""
        return self.variant.span

    def grouped(self, gradients: Sequence[Any]) -> list[Any]:
        """A gradient per result, and for a list of results a list."""
        given = iter(gradients)
        return [next(given) if count is None else [next(given) for _ in range(count)] for count in self.form]


def call(
    mode: Any, derivative: Derivative, args: tuple[Any, ...], kwargs: dict[str, Any], copied: bool = False
) -> Any:
    """Call an operator by its formula. The results have their places; `copied` has them be copies."""
    inputs, attributes = derivative.bound(args, kwargs)
    edges = tuple(map(edges_of, inputs))
    variant = variant_of(derivative.operator, derivative.function, needs(edges))
    with below():
        results, closure = variant.function(*inputs, **attributes)
        results = tree_map_only(torch.Tensor, torch.clone, results) if copied else _apart(results, inputs)
        captures = Captures(inputs, edges, results)
        node = record(mode, derivative, variant, edges, results, closure, captures)
        if any(saved.is_intermediate() for saved in saved_tensors(node.saved)):
            node.operator.again = [captures.saved("", value) for value in inputs], attributes
    for number, result in enumerate(flat(results_of(results))):
        if node.outputs[number].differentiable:
            become_recorded(put(result, node, number))
    return results


def needs(edges: Sequence[Edges]) -> tuple[bool, ...]:
    """For each input whether a gradient goes to it."""
    return tuple(any(edge is not None for edge in of_input) for of_input in edges)


def record(
    mode: Any,
    derivative: Derivative,
    variant: Variant,
    edges: tuple[Edges, ...],
    results: Any,
    closure: Callable[..., Any],
    captures: Captures,
) -> OperatorNode:
    """The node of a call, with what its closure captures."""
    separate = results_of(results)
    outputs = tuple(
        output_of(tensor, is_differentiable(tensor) and position not in derivative.plain)
        if isinstance(tensor, torch.Tensor)
        else _NOTHING
        for position, result in enumerate(separate)
        for tensor in (result if is_list(result) else [result])
    )
    node = OperatorNode(Recorded(mode, derivative, variant, separate, closure), outputs, edges, caller())
    node.saved = [
        captures.saved(name, cell.cell_contents)
        for name, cell in zip(closure.__code__.co_freevars, closure.__closure__ or (), strict=True)
    ]
    node.keeps_arrays = bool(saved_tensors(node.saved))
    if anomaly.is_anomaly_enabled() or torch.is_anomaly_enabled():
        node.forward_stack = anomaly.stack()
    return node


def _apart(results: Any, inputs: Sequence[Any]) -> Any:
    """The results; an input that a formula returns as it is becomes another tensor of the same memory."""
    given = {id(tensor) for tensor in flat(inputs)}
    if isinstance(results, torch.Tensor):
        return torch.ops.aten.alias(results) if id(results) in given else results
    if type(results) in (list, tuple):
        return type(results)(_apart(result, inputs) for result in results)
    return results
