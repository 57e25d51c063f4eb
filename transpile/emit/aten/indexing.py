"""Indices of tensors: an operator of ATen for each part, and one for all arrays among them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ...diagnostics import FormulaError
from .values import DOTS, INT, NONE, PARTS, SLICE, TENSOR, Expr, braced, call, constant, slice_of, tuple_of

Refuse = Callable[[str], FormulaError]


def entries(base: Expr, index: Expr, refuse: Refuse) -> Expr:
    """The entries at an index: a view, but at an array and where a slice steps backwards."""
    base, arrays = beside_arrays(base, index, refuse)
    if arrays:
        return call("at::index", base, braced(arrays))
    for part, axis in _places(index, refuse):
        base = _part_of(base, part, constant(axis), refuse)
    return base


def beside_arrays(base: Expr, index: Expr, refuse: Refuse) -> tuple[Expr, list[Expr]]:
    """The entries at all but the arrays of an index, and the arguments of `at::index` for those, by axes.

    The latter is empty where there is no array. Whole numbers are arrays beside one.
    """
    parts = list(_parts(index))
    places = [k for k, part in enumerate(parts) if part.type == TENSOR]
    if not places:
        return base, []
    if parts[-1].type == DOTS:
        parts.pop()
    given: list[Expr] = []
    for k, part in enumerate(parts):
        whole = part.type == SLICE and all(bound.type == NONE for bound in part.parts)
        if part.type == DOTS or (k > places[0] and not whole and part.type not in (TENSOR, INT)):
            raise refuse("an array among other parts of an index")
        if part.type == INT:
            given.append(call("at::scalar_tensor", part, "at::kLong"))
        elif part.type == TENSOR:
            given.append(part)
        else:
            base = _part_of(base, part, constant(k), refuse)
            given.append(constant(None))
    while given[-1].type == NONE:
        given.pop()
    return base, given


def forwards(index: Expr) -> tuple[Expr, list[Expr]]:
    """The index with its slices that step backwards forwards, and the axes that these stand for."""
    parts = list(_parts(index))
    dots = next((k for k, part in enumerate(parts) if part.type == DOTS), len(parts))
    turned = []
    for k, part in enumerate(parts):
        if part.type == SLICE and part.parts[2].is_negative:
            used = parts[:k] if k < dots else parts[k:]
            axis = sum(one.type != NONE for one in used)
            turned.append(constant(axis if k < dots else -axis))
            parts[k] = slice_of((*part.parts[:2], _without_sign(part.parts[2])))
    return tuple_of(tuple(parts)), turned


def _places(index: Expr, refuse: Refuse) -> list[tuple[Expr, int]]:
    """The parts of an index with the axis that each stands for, once those before are applied."""
    parts = _parts(index)
    dots = [k for k, part in enumerate(parts) if part.type == DOTS]
    made: list[tuple[Expr, int]] = []
    axis = 0
    for part in parts:
        if part.type == DOTS:
            break
        made.append((part, axis))
        axis += part.type != INT
    if dots:
        behind = parts[dots[0] + 1 :]
        left = [sum(part.type != NONE for part in behind[k + 1 :]) for k in range(len(behind))]
        made += [(part, -1 - count) for part, count in zip(behind, left, strict=True)]
    if any(part.type == TENSOR for part, _ in made):
        raise refuse("an array among other parts of an index")
    return made


def _parts(index: Expr) -> tuple[Expr, ...]:
    """The parts of an index."""
    return index.parts if index.type == PARTS else (index,)


def _part_of(base: Expr, part: Expr, axis: Expr, refuse: Refuse) -> Expr:
    """The operator of one part of an index."""
    if part.type == INT:
        return call("at::select", base, axis, part)
    if part.type == NONE:
        return call("at::unsqueeze", base, axis)
    if part.type != SLICE:
        raise refuse(f"the index {part.text}")
    start, stop, step = (None if bound.type == NONE else bound for bound in part.parts)
    if start is stop is step is None:
        return base
    if step is not None and step.is_negative and start is stop is None:
        base = call("at::flip", base, axis)
        step = _without_sign(step)
        return base if step.constant == 1 else call("at::slice", base, axis, "0", "std::nullopt", step)
    if step is not None and (step.constant is None or step.is_negative):
        raise refuse("a slice that may step backwards")
    steps = [] if step is None or step.constant == 1 else [step]
    return call("at::slice", base, axis, start or "0", stop or "std::nullopt", *steps)


def _without_sign(step: Expr) -> Expr:
    """The step without its minus sign."""
    positive = None if step.constant is None else -int(step.constant)
    assert step.operand is not None
    return replace(step, code=step.operand, level=0, constant=positive, form="")
