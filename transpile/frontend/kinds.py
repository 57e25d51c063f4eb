"""What an operand may be: a list or a text where a tensor or a number is needed is refused in its place."""

from __future__ import annotations

import ast

from ..ir import Atom, Literal, Var
from .fence import Refusal, refuse
from .frame import Frame


def is_text(frame: Frame, operand: Atom) -> bool:
    """Whether an operand is a string."""
    if isinstance(operand, Literal):
        return isinstance(operand.value, str)
    return operand in frame.build.texts


def check_operand(frame: Frame, operand: Atom, node: ast.AST, what: str) -> None:
    """Refuse a list of tensors, or a string, as an operand of `what`."""
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


def check_arithmetic(
    frame: Frame, op: str, left: Atom, right: Atom, places: tuple[ast.AST, ast.AST], sign: str
) -> None:
    """Refuse operands that an operator does not take; texts may be compared, and added to texts."""
    if is_text(frame, left) and is_text(frame, right) and op in ("add", "equal", "not_equal"):
        return
    if op in ("equal", "not_equal") and (_is_value(left) and _is_value(right)):
        return
    for operand, place in zip((left, right), places, strict=True):
        check_operand(frame, operand, place, f"`{sign}`")


def _is_value(operand: Atom) -> bool:
    return isinstance(operand, Literal) or operand.kind == "value"


def _wrong(frame: Frame, node: ast.AST, message: str, hint: str) -> Refusal:
    return refuse("PB404", message, frame.span(node), hint=hint)
