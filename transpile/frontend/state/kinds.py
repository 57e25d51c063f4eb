"""Kinds of operands: a list or a text where a tensor or a number is needed is refused in its place."""

from __future__ import annotations

import ast
from types import NoneType

from ...ir import Atom, Literal, Var
from ...operators import DTYPES
from ..syntax.fence import Refusal, refuse
from .values import Frame, Value


def is_text(frame: Frame, operand: Atom) -> bool:
    """True where an operand is a string."""
    if isinstance(operand, Literal):
        return isinstance(operand.value, str)
    return operand in frame.build.texts


def check_operand(frame: Frame, operand: Atom, node: ast.AST, what: str) -> None:
    """Refuse a list of tensors, a tuple, a string, or None as an operand of `what`."""
    if isinstance(operand, Var) and operand.kind == "list":
        raise _wrong(
            frame,
            node,
            f"a list of tensors is no operand of {what}",
            "take an element of it, or join them: `np.stack(xs)`, `np.concatenate(xs)`",
        )
    if is_text(frame, operand):
        raise _wrong(
            frame, node, f"a string is no operand of {what}", "pass a number, or compare it with `==`"
        )
    if is_tuple(frame, operand):
        hint = "take an element of it: `x.shape[-1]`, or make it an array: `np.array([1.0, 2.0])`"
        raise _wrong(frame, node, f"a tuple is no operand of {what}", hint)
    if operand == Literal(None):
        raise _wrong(frame, node, f"`None` is no operand of {what}", "ask `is None` before")


def is_tuple(frame: Frame, operand: Atom) -> bool:
    """True where an operand is a tuple, as a shape is."""
    if isinstance(operand, Literal):
        return isinstance(operand.value, tuple)
    return operand in frame.build.tuples


def is_table(frame: Frame, value: Value) -> bool:
    """True for a tuple or list of numbers that is a parameter, and for a part of one."""
    build = frame.build
    while isinstance(value, Var) and value in build.tuples and (made := build.made.get(value)) is not None:
        if made.op != "item":
            return False
        value = made.args[0]
    return isinstance(value, Var) and value in build.tuples & build.inputs | build.listed_numbers


def check_list(frame: Frame, operand: Atom, node: ast.AST, what: str) -> None:
    """Refuse one tensor where `what` takes a list of them."""
    if isinstance(operand, Var) and operand.kind == "tensor" and operand not in frame.build.opaque:
        hint = f"write the list out: `{what.strip('`')}([x, y])`"
        raise _wrong(frame, node, f"{what} takes a list of tensors, and this is a tensor", hint)


def check_number(frame: Frame, operand: Atom, node: ast.AST, what: str) -> None:
    """Refuse a number where `what` needs something with elements."""
    number = isinstance(operand, Literal) and isinstance(operand.value, int | float)
    if number or (isinstance(operand, Var) and operand in frame.build.numbers):
        raise _wrong(frame, node, f"{what} needs a tuple, a list or a tensor, and this is a number", _RANGE)


_RANGE = "loop over `range(n)`; a number has no elements and no length"


def check_index(frame: Frame, index: Atom, node: ast.AST) -> None:
    """Refuse constants that index nothing: a float, a string."""
    parts = index.value if isinstance(index, Literal) and isinstance(index.value, tuple) else (index,)
    for part in parts:
        value = part.value if isinstance(part, Literal) else part
        if isinstance(value, float | str) or (isinstance(part, Var) and is_text(frame, part)):
            kind = "a string" if not isinstance(value, float) else "a float"
            raise _wrong(
                frame,
                node,
                f"{kind} is no position in an array",
                "an index is a whole number, a slice, None, `...`, an array of positions, or a mask",
            )


_WHOLE = "a whole number, or a tuple of them"
_EXPECTED: dict[str, tuple[str, tuple[type, ...], bool]] = {
    # What is expected of a constant, the types that it may have, and whether a tuple of them is as good.
    "axis": (f"{_WHOLE}, or None", (int, NoneType), True),
    "axes": (f"{_WHOLE}, or None", (int, NoneType), True),
    "shape": (_WHOLE, (int,), True),
    "source": (_WHOLE, (int,), True),
    "destination": (_WHOLE, (int,), True),
    "shift": (_WHOLE, (int,), True),
    "repeats": (_WHOLE, (int,), True),
    "reps": (_WHOLE, (int,), True),
    "axis1": ("a whole number", (int,), False),
    "axis2": ("a whole number", (int,), False),
    "offset": ("a whole number", (int,), False),
    "k": ("a whole number", (int,), False),
    "decimals": ("a whole number", (int,), False),
    "ddof": ("a number", (int, float), False),
    "keepdims": ("True or False", (bool, int), False),
    "reverse": ("True or False", (bool,), False),
    "subscripts": ("a string", (str,), False),
}


def check_attribute(frame: Frame, slot: str, value: Atom, node: ast.AST, what: str) -> None:
    """Refuse a constant of the wrong kind as an attribute: `axis=1.0`, `keepdims="yes"`."""
    named = value.value if isinstance(value, Literal) and slot == "dtype" else None
    if isinstance(named, str) and f"numpy.{named}" not in DTYPES:
        hint = "float64, float32, int64, int32, bool, or a parameter of the formula"
        raise _wrong(frame, node, f"`{named}` is no dtype that {what} knows", hint)
    if slot not in _EXPECTED:
        return
    expected, types, several = _EXPECTED[slot]
    wrong = is_text(frame, value) and str not in types
    if isinstance(value, Literal):
        items = value.value if several and isinstance(value.value, tuple) else (value.value,)
        wrong = not all(_fits(item, types) for item in items)
    if wrong:
        raise _wrong(frame, node, f"`{slot}` of {what} is no {_shown(value)}", f"it is {expected}")


def _fits(item: object, types: tuple[type, ...]) -> bool:
    """True where a constant is of one of these types, or a tuple of such: the axes of `tensordot`."""
    if isinstance(item, tuple):
        return all(_fits(part, types) for part in item)
    return isinstance(item, types)


def _shown(value: Atom) -> str:
    return f"`{value.value!r}`" if isinstance(value, Literal) else "string"


def check_arithmetic(
    frame: Frame, op: str, left: Atom, right: Atom, places: tuple[ast.AST, ast.AST], sign: str
) -> None:
    """Refuse operands that an operator does not take; texts may be compared, and added to texts."""
    if is_text(frame, left) and is_text(frame, right) and op in ("add", "equal", "not_equal"):
        return
    if op in _OF_TUPLES and _is_value(left) and _is_value(right):
        left, right = (Literal(0) if is_tuple(frame, side) else side for side in (left, right))
    if op in ("equal", "not_equal") and (_is_value(left) and _is_value(right)):
        return
    for operand, place in zip((left, right), places, strict=True):
        check_operand(frame, operand, place, f"`{sign}`")


# What Python does with tuples: joins, repeats, compares them.
_OF_TUPLES = frozenset({"add", "multiply", "less", "less_equal", "greater", "greater_equal"})


def _is_value(operand: Atom) -> bool:
    return isinstance(operand, Literal) or operand.kind == "value"


def _wrong(frame: Frame, node: ast.AST, message: str, hint: str) -> Refusal:
    return refuse("PB404", message, frame.span(node), hint=hint)
