"""Views: each knows its base, and has a history of its own until its base is written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from pullback.engine.core.errors import MutationError
from pullback.engine.mutation.views import PLAIN, STALE, UNRECORDED

from ..derivatives.values import flat, is_differentiable, results_of
from .below import recording
from .places import View, known_place, place_of, share_hooks

_aten = torch.ops.aten
# Results that share memory with an input and no history.
_APART = (_aten.detach.default, _aten.lift_fresh.default)


def mark_views(
    operator: Any, args: tuple[Any, ...], kwargs: dict[str, Any], results: Any, recorded: bool
) -> None:
    """Have the results of an operator whose results are views know their base."""
    if operator in _APART or not isinstance(args[0], torch.Tensor) or not is_differentiable(args[0]):
        return
    source = args[0]
    for number, result in enumerate(flat(results_of(results))):
        if result is source:
            continue
        place_of(result).view = _view(source, step_of(operator, args, kwargs, number, results), recorded)


def view_of(tensor: torch.Tensor) -> View | None:
    """The state of a view; None for what is none. PyTorch knows views that were made outside of a block."""
    place = known_place(tensor)
    if place is not None and place.view is not None:
        return place.view
    if not tensor._is_view() or tensor._base is None:
        return None
    view = place_of(tensor).view = View(tensor._base, _unknown, UNRECORDED)
    return view


def _view(source: torch.Tensor, step: Callable[[Any], Any], recorded: bool) -> View:
    made = PLAIN if recorded else UNRECORDED
    of_source = view_of(source)
    if of_source is None:
        return View(source, step, made)
    return View(
        of_source.base, followed(of_source.show, step), made if of_source.made == PLAIN else of_source.made
    )


def followed(before: Callable[[Any], Any], step: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Both, one after the other."""
    return lambda base: step(before(base))


def step_of(
    operator: Any, args: tuple[Any, ...], kwargs: dict[str, Any], number: int, results: Any
) -> Callable[[Any], Any]:
    """Makes the view of another tensor. It holds none."""
    source, *rest = args
    if operator is _aten.as_strided.default:
        size, stride, *offset = rest
        given = offset[0] if offset else kwargs.get("storage_offset")
        behind = 0 if given is None else given - source.storage_offset()
        return lambda base: base.as_strided(size, stride, base.storage_offset() + behind)
    if isinstance(results, torch.Tensor):
        return lambda base: operator(base, *rest, **kwargs)
    return lambda base: operator(base, *rest, **kwargs)[number]


def _unknown(base: Any) -> Any:
    raise AssertionError("a view that was made with recording off is refused before")


def renew(tensor: torch.Tensor, view: View) -> None:
    """Make the history of a view anew, after a recorded write into its base. Raises MutationError."""
    base = place_of(view.base)
    if view.writes == base.writes:
        return
    if view.made != PLAIN:
        raise MutationError(f"a view ({described(tensor)}) {STALE[view.made]}")
    place = place_of(tensor)
    if base.node is None:
        place.node = None
    else:
        with recording(base.node.operator.mode):  # type: ignore[attr-defined]
            fresh = place_of(view.show(view.base))
        place.node, place.output = fresh.node, fresh.output
        if fresh.node is not None:
            share_hooks(tensor, fresh.node, fresh.output)
    view.writes = base.writes


def described(tensor: torch.Tensor) -> str:
    """The tensor in a message."""
    return f"tensor of shape {tuple(tensor.shape)} and dtype {tensor.dtype}"
