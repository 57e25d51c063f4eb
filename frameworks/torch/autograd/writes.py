"""In-place operators: the formula of the operator that returns what they write, and the new histories."""

from __future__ import annotations

from collections.abc import Callable
from types import CellType, FunctionType
from typing import Any

import torch

from pullback.engine.core.errors import MutationError
from pullback.engine.mutation.views import PLAIN, WHY_NOT_WRITTEN
from pullback.engine.reference.node import Edge, OperatorNode

from ..derivatives.table import Derivative
from .below import below
from .call import needs, record
from .edges import edge_of, edges_of
from .places import View, place_of, share_hooks
from .saved import Captures
from .schemas import Facts
from .specialize import variant_of
from .tensor import become_recorded
from .views import described, followed, step_of, view_of


def write(
    mode: Any,
    operator: Any,
    facts: Facts,
    derivative: Derivative,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Any:
    """Call an operator that writes into its first argument, and record it."""
    target = args[0]
    view = view_of(target)
    _refuse(target, view, facts)
    base_edge = None if view is None else edge_of(view.base)
    inputs, attributes = derivative.bound(args, kwargs)
    edges = tuple(map(edges_of, inputs))
    variant = variant_of(facts.name, derivative.function, needs(edges))
    with below():
        if derivative.operator == facts.name:
            result, closure = variant.function(*inputs, **attributes)
            captures = Captures(inputs, edges, target)
            before = _cells(closure).get("original_self")
            if before is not None:
                captures.add_input(before, edges[0][0])
        else:
            if variant.closure is None or not set(variant.closure.co_freevars).isdisjoint(derivative.inputs):
                before = target.clone()
                inputs = [before if value is target else value for value in inputs]
            result, closure = variant.function(*inputs, **attributes)
            if facts.reshapes:
                operator(*args, **kwargs)
            else:
                target.copy_(result)
            captures = Captures(inputs, edges, target)
            closure = _with_result(closure, result, target)
        node = record(mode, derivative, variant, edges, target, closure, captures)
    _rebase(target, node)
    if facts.reshapes:
        if view is not None:
            view.show = followed(view.show, step_of(_returning(operator), args, kwargs, 0, result))
        return target
    if view is None:
        place_of(target).writes += 1
    else:
        _overwrite(mode, view, base_edge, target)
    return target


def _returning(operator: Any) -> Any:
    """The operator that returns what this one does in place: `t` for `t_`."""
    packet = getattr(torch.ops.aten, operator._schema.name.partition("::")[2].removesuffix("_"))
    return getattr(packet, operator._overloadname)


def _refuse(target: torch.Tensor, view: View | None, facts: Facts) -> None:
    """Raise MutationError where a gradient would be wrong."""
    if view is not None and view.made != PLAIN:
        raise MutationError(
            f"{facts.name}: this {described(target)} is a view that {WHY_NOT_WRITTEN[view.made]}"
        )
    base = target if view is None else view.base
    if base.requires_grad and place_of(base).node is None:
        what = "a leaf" if view is None else "a view of a leaf"
        raise MutationError(
            f"{facts.name} writes into {what} that requires grad ({described(base)}), whose gradient is that "
            "of its value: write under torch.no_grad(), or into a copy"
        )


def refuse_written_leaves(facts: Facts, args: tuple[Any, ...]) -> None:
    """Raise MutationError where an operator writes into a further argument that requires grad."""
    for position in facts.written:
        given = args[position] if position < len(args) else None
        if isinstance(given, torch.Tensor) and given.requires_grad:
            raise MutationError(
                f"{facts.name} writes into an argument that requires grad ({described(given)}), and no "
                "formula has its gradient: pass x.detach()"
            )


def _cells(closure: Callable[..., Any]) -> dict[str, Any]:
    """The values that a closure captures, by its names."""
    return {
        name: cell.cell_contents
        for name, cell in zip(closure.__code__.co_freevars, closure.__closure__ or (), strict=True)
    }


def _with_result(closure: Callable[..., Any], result: Any, target: torch.Tensor) -> Callable[..., Any]:
    """The closure with the tensor that was written where it captures the result."""
    cells = [CellType(target if value is result else value) for value in _cells(closure).values()]
    return FunctionType(
        closure.__code__, closure.__globals__, closure.__name__, closure.__defaults__, tuple(cells)
    )


def _rebase(tensor: torch.Tensor, node: OperatorNode) -> None:
    """Have a tensor stand where its new values come from. A retained gradient is that of the new values.

    Hooks stay with the values before.
    """
    place = place_of(tensor)
    retained = place.node.node_hooks.retained if place.node is not None else {}
    if place.output in retained:
        holder = retained[place.output]
        if holder() is tensor:
            del retained[place.output]
            node.node_hooks.retained[0] = holder
    place.node, place.output = node, 0
    if not tensor.requires_grad:
        tensor.requires_grad_()
    share_hooks(tensor, node, 0)
    become_recorded(tensor)


def _overwrite(mode: Any, view: View, base_edge: Edge | None, written: torch.Tensor) -> None:
    """Have the base of a view stand where its values come from: the base before, and what was written."""
    base = view.base
    edges = ((base_edge,), (edge_of_new(written),))
    variant = variant_of("overwrite", overwrite, needs(edges))
    with below():
        result, closure = variant.function(base, written, show=view.show, strides=base.stride())
        captures = Captures((base, written), edges, result)
        node = record(mode, OVERWRITE, variant, edges, result, closure, captures)
    _rebase(base, node)
    place_of(base).writes += 1
    view.writes = place_of(base).writes


def edge_of_new(tensor: torch.Tensor) -> Edge | None:
    """The edge of a tensor that was written just now."""
    place = place_of(tensor)
    return None if place.node is None else Edge(place.node, place.output)


def overwrite(base: Any, value: Any, *, show: Callable[[Any], Any], strides: tuple[int, ...]) -> Any:
    """A tensor of which a view was written: the view's gradient is the value's, the rest is the base's."""

    def overwrite_pullback(grad: Any) -> Any:
        rest = grad.new_empty_strided(grad.shape, strides).copy_(grad)
        part = show(rest).clone()
        show(rest).zero_()
        return rest, part

    return base, overwrite_pullback


OVERWRITE = Derivative("overwrite", overwrite, ())
