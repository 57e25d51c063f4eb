"""Indices of tensors: an operator of ATen for each part."""

from __future__ import annotations

from collections.abc import Callable

from ...diagnostics import FormulaError
from .values import INT, NONE, PARTS, TENSOR, Expr, tuple_of

Refuse = Callable[[str], FormulaError]


def entries(base: str, index: Expr, refuse: Refuse) -> str:
    """The entries at an index: a view, but at an array and where a slice steps backwards."""
    if (array := alone(index)) is not None:
        return f"at::index({base}, {{{array.text}}})"
    for part, axis in _places(index, refuse):
        base = _part_of(base, part, axis, refuse)
    return base


def alone(index: Expr) -> Expr | None:
    """The array that an index consists of, ``...`` behind it left out; None for another index."""
    first, *rest = _parts(index) or (index,)
    return first if first.type == TENSOR and all(part.text == "..." for part in rest) else None


def forwards(index: Expr) -> tuple[Expr, list[int]]:
    """The index with its slices that step backwards forwards, and the axes that these stand for."""
    parts = list(_parts(index))
    dots = next((k for k, part in enumerate(parts) if part.text == "..."), len(parts))
    turned = []
    for k, part in enumerate(parts):
        if part.text == "slice" and part.parts[2].text.startswith("-"):
            used = parts[:k] if k < dots else parts[k:]
            axis = sum(one.type != NONE for one in used)
            turned.append(axis if k < dots else -axis)
            step = Expr(part.parts[2].text[1:], INT)
            parts[k] = Expr("slice", PARTS, parts=(*part.parts[:2], step))
    return tuple_of(tuple(parts)), turned


def _places(index: Expr, refuse: Refuse) -> list[tuple[Expr, str]]:
    """The parts of an index with the axis that each stands for, once those before are applied."""
    parts = _parts(index)
    dots = [k for k, part in enumerate(parts) if part.text == "..."]
    made: list[tuple[Expr, str]] = []
    axis = 0
    for part in parts:
        if part.text == "...":
            break
        made.append((part, str(axis)))
        axis += part.type != INT
    if dots:
        behind = parts[dots[0] + 1 :]
        left = [sum(part.type != NONE for part in behind[k + 1 :]) for k in range(len(behind))]
        made += [(part, str(-1 - count)) for part, count in zip(behind, left, strict=True)]
    if any(part.type == TENSOR for part, _ in made):
        raise refuse("an array among other parts of an index")
    return made


def _parts(index: Expr) -> tuple[Expr, ...]:
    """The parts of an index."""
    return index.parts if index.type == PARTS and index.text != "slice" else (index,)


def _part_of(base: str, part: Expr, axis: str, refuse: Refuse) -> str:
    """The operator of one part of an index."""
    if part.type == INT:
        return f"at::select({base}, {axis}, {part.text})"
    if part.type == NONE:
        return f"at::unsqueeze({base}, {axis})"
    if part.text != "slice":
        raise refuse(f"the index {part.text}")
    bounds = [bound.text for bound in part.parts]
    absent = [bound.type == NONE for bound in part.parts]
    if absent == [True, True, True]:
        return base
    step = bounds[2]
    if step.startswith("-") and absent[:2] == [True, True]:
        base = f"at::flip({base}, {axis})"
        return base if step == "-1" else f"at::slice({base}, {axis}, 0, std::nullopt, {step[1:]})"
    if not (absent[2] or step.isdigit()):
        raise refuse("a slice that may step backwards")
    start = "0" if absent[0] else bounds[0]
    stop = "std::nullopt" if absent[1] else bounds[1]
    arguments = [base, axis, start, stop, "1" if absent[2] else step]
    if arguments[4] == "1":
        arguments.pop()
    return f"at::slice({', '.join(arguments)})"
