"""Arithmetic of values: operators with one and two operands, tuples joined."""

from __future__ import annotations

import ast

from ...analysis.numbers import gives_number
from ...ir import Atom, Kind, Literal, Var
from ...operators import OPERATORS
from ..state.aliases import is_number
from ..state.atoms import atom
from ..state.growing import is_list, new_list
from ..state.kinds import check_arithmetic, check_operand, is_table, is_text
from ..state.readers import operand, read
from ..state.values import Frame, Growing, Items, Value, elements, is_value
from ..state.whole import is_whole
from ..syntax.fence import refuse
from ..syntax.folding import BINARY, UNARY, fold
from .templates import read_template


def combine(frame: Frame, op: str, operands: list[Atom], node: ast.AST, name: str | None = None) -> Atom:
    """An arithmetic operator of operands: folded for constants, a value where all operands are values."""
    if all(isinstance(item, Literal) for item in operands):
        folded = fold(op, *(item for item in operands if isinstance(item, Literal)))
        if folded is not None:
            return folded
    kind: Kind = "value" if op == "not_" or all(is_value(item) for item in operands) else "tensor"
    return frame.build.emit(op, operands, frame.span(node), kind=kind, name=name)


def arithmetic(
    frame: Frame, op: str, left: Value, right: Value, node: ast.AST, name: str | None = None
) -> Value:
    """A binary operator; ``+`` of two tuples or lists joins them to a new one."""
    if op == "add" and elements(left) is not None and elements(right) is not None:
        joined = join(frame, left, right, node)
        return new_list(frame, list(elements(joined) or ())) if isinstance(left, Growing) else joined
    if op == "add" and _is_list(frame, left) and _is_list(frame, right):
        return read_template(frame, _JOINED, {"left": left, "right": right}, node)
    whole = isinstance(right, Var | Literal) and is_whole(frame.build, right)
    if op == "multiply" and isinstance(left, Growing) and not is_value(left) and whole:
        return read_template(frame, _REPEATED, {"items": left, "count": right}, node)
    left, right = _with_arrays(frame, left, right, node)
    first, second = atom(frame, left, node), atom(frame, right, node)
    check_arithmetic(frame, op, first, second, _places(node), SIGNS.get(op, op))
    made = combine(frame, op, [first, second], node, name)
    if isinstance(made, Var) and is_text(frame, first):
        frame.build.texts.add(made)
    return made


_REPEATED = "found = [item for k in range(count) for item in items]"
_JOINED = "found = [item for item in left]\nfor item in right:\n    found.append(item)"


def _is_list(frame: Frame, value: Value) -> bool:
    return isinstance(value, Growing) or (isinstance(value, Var) and is_list(frame, value))


def _with_arrays(frame: Frame, left: Value, right: Value, node: ast.AST) -> tuple[Value, Value]:
    """The operands, with the array that NumPy makes of a list beside a tensor."""

    def made(value: Value, other: Value) -> Value:
        listed = isinstance(value, Items | Growing) or is_table(frame, value)
        listed = listed or (isinstance(value, Var) and value in frame.build.lists)
        if listed and isinstance(other, Var) and other.kind == "tensor":
            return read_template(frame, "found = array(xs)", {"xs": value}, node)
        return value

    return made(left, right), made(right, left)


def join(frame: Frame, left: Value, right: Value, node: ast.AST) -> Value:
    """Two tuples, one after the other."""
    first, second = elements(left), elements(right)
    if first == ():
        return right
    if second == ():
        return left
    if first is not None and second is not None:
        return Items((*first, *second))
    return combine(frame, "add", [atom(frame, left, node), atom(frame, right, node)], node)


def read_binary(frame: Frame, node: ast.BinOp, name: str | None) -> Value:
    """``left + right`` and the like."""
    op = BINARY.get(type(node.op))
    if op is None:
        sign = {"BitXor": "^", "LShift": "<<", "RShift": ">>"}.get(type(node.op).__name__, "this")
        raise refuse("PB402", f"the operator `{sign}` is outside of the formula language", frame.span(node))
    return arithmetic(frame, op, read(frame, node.left), read(frame, node.right), node, name)


def read_unary(frame: Frame, node: ast.UnaryOp, name: str | None) -> Value:
    """``-x`` and the like."""
    op, inner = UNARY[type(node.op)], operand(frame, node.operand)
    if op != "not_":
        check_operand(frame, inner, node.operand, f"`{SIGNS.get(op, op)}`")
    if op == "positive" and isinstance(inner, Var) and is_value(inner):  # NumPy's would make a float64 of it
        return combine(frame, "subtract", [inner, Literal(0)], node, name)
    if op == "positive" and isinstance(inner, Var):
        return copied(frame, inner, node, name)
    return combine(frame, op, [inner], node, name)


def copied(frame: Frame, value: Var, node: ast.AST, name: str | None = None) -> Var:
    """A copy of an array; of a number, which a statement such as ``t += v`` replaces, a number."""
    build, span = frame.build, frame.span(node)
    made = build.made.get(value)
    if not is_number(build, value) and (made is None or not gives_number(made.op)):
        return build.emit("positive", (value,), span, name=name)
    dtype = build.metadata("dtype", (value,), span)
    return build.emit("astype", (value,), span, kwargs=(("dtype", dtype),), name=name)


SIGNS = {info.name: info.infix for info in OPERATORS.values() if info.infix}


def _places(node: ast.AST) -> tuple[ast.AST, ast.AST]:
    """The places of the two operands of an operator."""
    if isinstance(node, ast.BinOp):
        return node.left, node.right
    if isinstance(node, ast.AugAssign):
        return node.target, node.value
    return node, node
