"""Expressions to equations."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial
from typing import Any

from ..ir import Atom, Kind, Literal, Var
from ..operators import OPERATORS
from . import fence, statements
from .atoms import atom
from .branches import choose
from .calls import read_call
from .fence import refuse
from .folding import BINARY, COMPARE, UNARY, fold
from .frame import Frame
from .kinds import check_arithmetic, check_operand, is_text
from .raising import read_formatted
from .spelling import canonical, constant_of
from .subscripts import read_subscript
from .values import Dotted, Function, Growing, Items, Value, elements, is_value

_METADATA = frozenset({"shape", "ndim", "size", "dtype"})


def read(frame: Frame, node: ast.expr, name: str | None = None) -> Value:
    """The value of an expression. `name` goes to the variable of the outermost equation."""
    reader = _READERS.get(type(node))
    if reader is None:
        raise fence.expression(node, frame.span(node))
    return reader(frame, node, name)


def operand(frame: Frame, node: ast.expr) -> Atom:
    """The value of an expression as an operand of an equation."""
    return atom(frame, read(frame, node), node)


def combine(frame: Frame, op: str, operands: list[Atom], node: ast.AST, name: str | None = None) -> Atom:
    """An arithmetic operator of operands: folded for constants, a value where all operands are values."""
    if all(isinstance(item, Literal) for item in operands):
        folded = fold(op, *(item for item in operands if isinstance(item, Literal)))
        if folded is not None:
            return folded
    kind: Kind = "value" if op == "not_" or all(is_value(item) for item in operands) else "tensor"
    return frame.build.emit(op, operands, frame.span(node), kind=kind, name=name)


def _constant(frame: Frame, node: ast.Constant, name: str | None) -> Value:
    if node.value is None or node.value is Ellipsis or isinstance(node.value, bool | int | float | str):
        return Literal(node.value)
    kind = type(node.value).__name__
    raise refuse("PB402", f"a constant of type {kind} is outside of the formula language", frame.span(node))


def _name(frame: Frame, node: ast.Name, name: str | None) -> Value:
    return frame.lookup(node)


def _items(frame: Frame, node: ast.Tuple | ast.List, name: str | None) -> Value:
    parts: list[Value] = []
    pieces: list[Value] = []
    for item in node.elts:
        if not isinstance(item, ast.Starred):
            parts.append(read(frame, item))
            continue
        inner = read(frame, item.value)
        known = elements(inner)
        if known is not None:
            parts.extend(known)
        elif isinstance(inner, Var) and inner.kind == "value":
            pieces += [Items(tuple(parts)), inner]
            parts = []
        else:
            raise fence.expression(item, frame.span(item))
    if not pieces:
        return _new_list(frame, parts) if isinstance(node, ast.List) else Items(tuple(parts))
    joined: Value = pieces[0]
    for piece in (*pieces[1:], Items(tuple(parts))):
        joined = _join(frame, joined, piece, node)
    return joined


def _join(frame: Frame, left: Value, right: Value, node: ast.AST) -> Value:
    """Two tuples, one after the other."""
    first, second = elements(left), elements(right)
    if first == ():
        return right
    if second == ():
        return left
    if first is not None and second is not None:
        return Items((*first, *second))
    return combine(frame, "add", [atom(frame, left, node), atom(frame, right, node)], node)


def _binary(frame: Frame, node: ast.BinOp, name: str | None) -> Value:
    op = BINARY.get(type(node.op))
    if op is None:
        sign = {"BitXor": "^", "LShift": "<<", "RShift": ">>"}.get(type(node.op).__name__, "this")
        raise refuse("PB402", f"the operator `{sign}` is outside of the formula language", frame.span(node))
    return arithmetic(frame, op, read(frame, node.left), read(frame, node.right), node, name)


def arithmetic(
    frame: Frame, op: str, left: Value, right: Value, node: ast.AST, name: str | None = None
) -> Value:
    """A binary operator; ``+`` of two tuples joins them."""
    if op == "add" and elements(left) is not None and elements(right) is not None:
        return _join(frame, left, right, node)
    first, second = atom(frame, left, node), atom(frame, right, node)
    check_arithmetic(frame, op, first, second, _places(node), _SIGNS.get(op, op))
    made = combine(frame, op, [first, second], node, name)
    if isinstance(made, Var) and is_text(frame, first):
        frame.build.texts.add(made)
    return made


_SIGNS = {word.name: word.infix for word in OPERATORS.values() if word.infix}


def _places(node: ast.AST) -> tuple[ast.AST, ast.AST]:
    """Where the two operands of an operator stand."""
    if isinstance(node, ast.BinOp):
        return node.left, node.right
    if isinstance(node, ast.AugAssign):
        return node.target, node.value
    return node, node


def _unary(frame: Frame, node: ast.UnaryOp, name: str | None) -> Value:
    op, inner = UNARY[type(node.op)], operand(frame, node.operand)
    if op != "not_":
        check_operand(frame, inner, node.operand, f"`{_SIGNS.get(op, op)}`")
    return combine(frame, op, [inner], node, name)


def _compare(frame: Frame, node: ast.Compare, name: str | None) -> Value:
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
    check_arithmetic(frame, op, first, second, (node, node), _SIGNS[op])
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
    """Whether an operator made the tensor, which so is none."""
    made = frame.build.made.get(var)
    return (
        var.kind == "tensor"
        and made is not None
        and made.op in OPERATORS
        and var not in frame.build.maybe_none
    )


def _membership(frame: Frame, sign: ast.cmpop, left: Value, right: Value, node: ast.Compare) -> Value:
    known = elements(right)
    if known is None or not is_value(left):
        raise refuse("PB402", "`in` looks into tuples that are written out only", frame.span(node))
    result: Value = Literal(False)
    for item in known:
        same = combine(frame, "equal", [atom(frame, left, node), atom(frame, item, node)], node)
        result = choose(frame, same, partial(_given, Literal(True)), partial(_given, result), node)
    return (
        combine(frame, "not_", [atom(frame, result, node)], node) if isinstance(sign, ast.NotIn) else result
    )


def _boolean(frame: Frame, node: ast.BoolOp, name: str | None) -> Value:
    def rest(index: int) -> Value:
        first = read(frame, node.values[index])
        if index == len(node.values) - 1:
            return first
        if isinstance(node.op, ast.And):
            return choose(frame, first, lambda: rest(index + 1), lambda: first, node)
        return choose(frame, first, lambda: first, lambda: rest(index + 1), node)

    return rest(0)


def _conditional(frame: Frame, node: ast.IfExp, name: str | None) -> Value:
    test = read(frame, node.test)
    return choose(frame, test, lambda: read(frame, node.body), lambda: read(frame, node.orelse), node, name)


def _attribute(frame: Frame, node: ast.Attribute, name: str | None) -> Value:
    base = read(frame, node.value)
    if isinstance(base, Dotted):
        dotted = canonical(f"{base.name}.{node.attr}")
        return constant_of(dotted) or Dotted(dotted, f"{base.text}.{node.attr}")
    if isinstance(base, Items) and node.attr in base.names:
        return base.items[base.names.index(node.attr)]
    if isinstance(base, Var) and base.kind == "tensor":
        if node.attr in _METADATA:
            return frame.build.metadata(node.attr, (base,), frame.span(node), name)
        if node.attr == "T":
            return frame.build.emit("transpose", (base,), frame.span(node), name=name)
        if node.attr == "mT":
            axes = (("axis1", Literal(-1)), ("axis2", Literal(-2)))
            return frame.build.emit("swapaxes", (base,), frame.span(node), kwargs=axes, name=name)
    raise refuse(
        "PB402",
        f"the attribute `.{node.attr}` is outside of the formula language",
        frame.span(node),
        value=node.attr,
        hint="of a tensor there are .shape, .ndim, .size, .dtype and .T",
    )


def _call(frame: Frame, node: ast.Call, name: str | None) -> Value:
    return read_call(frame, node, name)


def _subscript(frame: Frame, node: ast.Subscript, name: str | None) -> Value:
    return read_subscript(frame, node, name)


def _lambda(frame: Frame, node: ast.Lambda, name: str | None) -> Value:
    return function_value(frame, node)


def function_value(frame: Frame, node: ast.FunctionDef | ast.Lambda) -> Function:
    """A nested function: its default arguments are read now, as Python does."""
    args = node.args
    positional = [*args.posonlyargs, *args.args]
    with_default = positional[len(positional) - len(args.defaults) :]
    defaults = [(arg.arg, read(frame, value)) for arg, value in zip(with_default, args.defaults, strict=True)]
    for arg, value in zip(args.kwonlyargs, args.kw_defaults, strict=True):
        if value is not None:
            defaults.append((arg.arg, read(frame, value)))
    return Function(node, frame, tuple(defaults), frame.build.tick(), frame.branch)


def _comprehension(frame: Frame, node: ast.ListComp | ast.GeneratorExp, name: str | None) -> Value:
    """``[expression for item in known]``, written out for each element."""
    first = node.generators[0]
    if len(node.generators) != 1 or first.ifs or first.is_async:
        raise fence.expression(node, frame.span(node))
    inner = Frame(
        frame.build, frame.text, frame.names, parent=frame, caller=frame, calls=frame.calls, place=frame.place
    )
    iterated = read(frame, first.iter)
    known = elements(iterated)
    found: list[Value] = []
    if known is None:
        return _collected(inner, node, first, name)
    for item in known:
        statements.bind_target(inner, first.target, item)
        found.append(read(inner, node.elt))
    return _new_list(frame, found)


def _new_list(frame: Frame, items: list[Value]) -> Growing:
    """A list that may grow here, and in loops, but not in branches."""
    return Growing(items, frame.build.in_closure, frame.build.branches)


def _collected(
    inner: Frame, node: ast.ListComp | ast.GeneratorExp, first: ast.comprehension, name: str | None
) -> Value:
    """``[expression for x in xs]`` over a list of a length that only the run knows: a loop that appends."""
    inner.local[_LIST] = _new_list(inner, [])
    append = ast.Attribute(ast.Name(_LIST, ast.Load()), "append", ast.Load())
    loop = ast.For(first.target, first.iter, [ast.Expr(ast.Call(append, [node.elt], []))], [])
    for part in ast.walk(loop):
        if "lineno" in part._attributes and not hasattr(part, "lineno"):
            ast.copy_location(part, node)
    statements.read_body(inner, [loop])
    return inner.local[_LIST]


# The name, which no author can write, of the list that a comprehension fills.
_LIST = "<list>"

_READERS: dict[type[ast.expr], Callable[[Frame, Any, str | None], Value]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Tuple: _items,
    ast.List: _items,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.Compare: _compare,
    ast.BoolOp: _boolean,
    ast.IfExp: _conditional,
    ast.Attribute: _attribute,
    ast.Call: _call,
    ast.Subscript: _subscript,
    ast.Lambda: _lambda,
    ast.JoinedStr: read_formatted,
    ast.ListComp: _comprehension,
    ast.GeneratorExp: _comprehension,
}


def reversed_of(frame: Frame, node: ast.expr) -> ast.expr | None:
    """The argument of ``reversed(...)``, or None for any other expression."""
    if not isinstance(node, ast.Call) or len(node.args) != 1 or node.keywords:
        return None
    if not isinstance(node.func, ast.Name) or isinstance(node.args[0], ast.Starred):
        return None
    callee = read(frame, node.func)
    return node.args[0] if isinstance(callee, Dotted) and callee.name == "reversed" else None
