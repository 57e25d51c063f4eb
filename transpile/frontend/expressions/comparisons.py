"""Comparisons, ``and`` and ``or``, and conditional expressions."""

from __future__ import annotations

import ast
from functools import partial

from ...ir import Atom, Literal, Var
from ...operators import OPERATORS
from ..state.atoms import atom
from ..state.kinds import check_arithmetic
from ..state.readers import read
from ..state.values import Frame, Value, is_value, iterated
from ..syntax.fence import refuse
from ..syntax.folding import COMPARE
from .arithmetic import SIGNS, combine
from .branches import choose
from .templates import read_template

_AMONG = "found = False\nfor item in xs:\n    if item == wanted:\n        found = True"


def read_compare(frame: Frame, node: ast.Compare, name: str | None) -> Value:
    """``a < b <= c``, ``is None`` and ``in``."""
    left = read(frame, node.left)
    result: Value | None = None
    for sign, right_node in zip(node.ops, node.comparators, strict=True):
        right = read(frame, right_node)
        one = _comparison(frame, sign, left, right, node, name if len(node.ops) == 1 else None)
        if result is None:
            result = one
        else:
            result = choose(frame, result, partial(_given, one), partial(_given, Literal(False)), node)
        left = right
    assert result is not None
    return result


def _given(value: Value) -> Value:
    return value


def _comparison(
    frame: Frame, sign: ast.cmpop, left: Value, right: Value, node: ast.Compare, name: str | None
) -> Value:
    if isinstance(sign, ast.Is | ast.IsNot):
        return _identity(frame, sign, left, right, node)
    if isinstance(sign, ast.In | ast.NotIn):
        return _membership(frame, sign, left, right, node)
    op, first, second = COMPARE[type(sign)], atom(frame, left, node), atom(frame, right, node)
    check_arithmetic(frame, op, first, second, (node, node), SIGNS[op])
    return combine(frame, op, [first, second], node, name)


def _identity(frame: Frame, sign: ast.cmpop, left: Value, right: Value, node: ast.Compare) -> Value:
    if left == Literal(None):
        left, right = right, left
    if right != Literal(None):
        raise refuse("PB402", "`is` compares with None only", frame.span(node), hint="write `==`")
    if isinstance(left, Var) and not _is_made(frame, left):
        found: Atom = frame.build.metadata("is_none", (left,), frame.span(node))
    else:
        found = Literal(left == Literal(None))
    return combine(frame, "not_", [found], node) if isinstance(sign, ast.IsNot) else found


def _is_made(frame: Frame, var: Var) -> bool:
    """True where an operator made the tensor, which so is none."""
    made = frame.build.made.get(var)
    return (
        var.kind == "tensor"
        and made is not None
        and made.op in OPERATORS
        and var not in frame.build.maybe_none
    )


def _membership(frame: Frame, sign: ast.cmpop, left: Value, right: Value, node: ast.Compare) -> Value:
    known = iterated(right)
    if isinstance(right, Var) and right in frame.build.tuples | frame.build.lists and is_value(left):
        among = read_template(frame, _AMONG, {"xs": right, "wanted": left}, node)
        return _unless(frame, sign, among, node)
    if known is None or not is_value(left):
        raise refuse("PB402", "`in` looks into tuples that are written out only", frame.span(node))
    result: Value = Literal(False)
    for item in known:
        same = combine(frame, "equal", [atom(frame, left, node), atom(frame, item, node)], node)
        result = choose(frame, same, partial(_given, Literal(True)), partial(_given, result), node)
    return _unless(frame, sign, result, node)


def _unless(frame: Frame, sign: ast.cmpop, result: Value, node: ast.Compare) -> Value:
    """The answer of ``in``, or that of ``not in``."""
    return (
        combine(frame, "not_", [atom(frame, result, node)], node) if isinstance(sign, ast.NotIn) else result
    )


def read_boolean(frame: Frame, node: ast.BoolOp, name: str | None) -> Value:
    """``and`` and ``or``, as choices."""

    def rest(index: int) -> Value:
        first = read(frame, node.values[index])
        if index == len(node.values) - 1:
            return first
        if isinstance(node.op, ast.And):
            return choose(frame, first, lambda: rest(index + 1), lambda: first, node)
        return choose(frame, first, lambda: first, lambda: rest(index + 1), node)

    return rest(0)


def read_conditional(frame: Frame, node: ast.IfExp, name: str | None) -> Value:
    """``a if test else b``."""
    test = read(frame, node.test)
    return choose(frame, test, lambda: read(frame, node.body), lambda: read(frame, node.orelse), node, name)
