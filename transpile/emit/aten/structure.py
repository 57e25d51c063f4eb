"""Shapes, lists, tuples, and what the passes add to a formula, as expressions."""

from __future__ import annotations

from collections.abc import Callable
from string import Formatter

from ...ir import Eqn, Literal
from .code import Piece, write
from .operands import Operands
from .values import (
    BOOL,
    DOUBLE,
    DTYPE,
    INT,
    INTS,
    LIKE,
    LIKES,
    NONE,
    NUMBERS,
    PARTS,
    PRIMARY,
    SIZES,
    SLICE,
    STRING,
    TENSOR,
    TENSORS,
    Expr,
    added,
    binary,
    braced,
    call,
    constant,
    element_of,
    expr,
    joined,
    list_of,
    method,
    opposite,
    quoted,
    slice_of,
    tuple_of,
    vector_of,
)


def _entries(e: Operands, eqn: Eqn) -> Expr:
    """``x[index]``: an operator for each part of the index."""
    index = eqn.kwarg("index")
    assert index is not None
    return e.entries(eqn, e.of(eqn.args[0]), e.of(index))


def _like(e: Operands, eqn: Eqn) -> Expr:
    value = e.of(eqn.args[0])
    if value.type == TENSORS:
        return call("likes", value, type=LIKES)
    if value.type in NUMBERS or value.type == NONE:
        return call("Like", type=LIKE)
    return value if value.type in (LIKE, LIKES) else call("like", value, type=LIKE)


def _sum_to(e: Operands, eqn: Eqn) -> Expr:
    like = eqn.kwarg("like")
    assert like is not None
    value = e.of(eqn.args[0])
    return call(eqn.op, e.converted(value, TENSOR, eqn), e.of(like))


def _in_place(e: Operands, eqn: Eqn) -> Expr:
    value, old = (e.of(atom) for atom in eqn.args)
    if old.type in NUMBERS:
        return value
    shared = eqn.kwarg("shared") or Literal(None)
    why = [] if shared == Literal(None) else [e.of(shared)]
    return call("in_place", e.converted(value, TENSOR, eqn), old, *why)


def _accumulate(e: Operands, eqn: Eqn) -> Expr:
    first, second = (e.of(atom) for atom in eqn.args)
    if TENSORS in (first.type, second.type):
        return added(first, second, TENSORS)
    if NONE in (first.type, second.type):
        return second if first.type == NONE else first
    return binary("+", first, second, joined([first.type, second.type]))


def _added(e: Operands, eqn: Eqn) -> Expr:
    first, second = (e.of(atom) for atom in eqn.args)
    return added(first, second, first.type)


def _shape(e: Operands, eqn: Eqn) -> Expr:
    tensor = _metadata_of(e, eqn).within(PRIMARY)
    return Expr(write("{}.sizes()", tensor), SIZES, form="sizes", operand=tensor)


def _ndim(e: Operands, eqn: Eqn) -> Expr:
    return method(_metadata_of(e, eqn), "dim", type=INT)


def _size(e: Operands, eqn: Eqn) -> Expr:
    return call("numel", _metadata_of(e, eqn).within(PRIMARY), type=INT)


def _metadata_of(e: Operands, eqn: Eqn) -> Expr:
    value = e.of(eqn.args[0])
    return call("number", value) if value.type in NUMBERS else value


def _dtype_of(e: Operands, eqn: Eqn) -> Expr:
    return method(e.of(eqn.args[0]), "scalar_type", type=DTYPE)


def _is_none(e: Operands, eqn: Eqn) -> Expr:
    value = e.of(eqn.args[0])
    if value.type in (TENSOR, TENSORS):
        return opposite(method(value, "defined", type=BOOL))
    return constant(value.type == NONE)


def _not(e: Operands, eqn: Eqn) -> Expr:
    value = e.of(eqn.args[0])
    return opposite(e.condition(value) if value.type == TENSOR else value)


def _tuple(e: Operands, eqn: Eqn) -> Expr:
    return tuple_of(tuple(e.of(atom) for atom in eqn.args))


def _slice(e: Operands, eqn: Eqn) -> Expr:
    return slice_of(tuple(e.of(atom) for atom in eqn.args))


def _list(e: Operands, eqn: Eqn) -> Expr:
    values = [e.of(atom) for atom in eqn.args]
    if values and all(value.type == INT for value in values):
        values = [call("at::scalar_tensor", value, "at::kLong") for value in values]
    kinds = {value.type for value in values}
    if len(kinds) == 1 and kinds <= {LIKE, LIKES}:
        kind = vector_of(kinds.pop())
        return Expr(write("{}{}", kind, braced(values)), kind)
    made = (
        value if value.type == TENSOR else Expr(e.converted(value, TENSOR, eqn), TENSOR) for value in values
    )
    return list_of(tuple(made))


def _len(e: Operands, eqn: Eqn) -> Expr:
    return call("static_cast<int64_t>", method(e.of(eqn.args[0]), "size"), type=INT)


def _item(e: Operands, eqn: Eqn) -> Expr:
    base, index = e.of(eqn.args[0]), e.of(eqn.args[1])
    if base.type == PARTS or (base.type == TENSORS and base.parts):
        found = eqn.args[1]
        if isinstance(found, Literal) and isinstance(found.value, int):
            return base.parts[found.value]
    if base.operand is not None and base.form == "sizes" and index.type == INT:
        return expr("{}.size({})", INT, base.operand, index)
    element = element_of(base.type)
    if element in (INT, DOUBLE) and index.type == SLICE:
        whole = base if base.type == vector_of(element) else method(base, "vec")
        start, stop, step = index.parts
        step = constant(1) if step.type == NONE else step
        return call("slice_of", whole, start, stop, step, type=vector_of(element))
    if element is None or index.type != INT:
        raise e.refusal(eqn, f"{base.text}[{index.text}]")
    if index.is_negative:
        return expr("{}.end()[{}]", element, base.within(PRIMARY), index)
    return expr("{}[{}]", element, base.within(PRIMARY), index)


def _format(e: Operands, eqn: Eqn) -> Expr:
    """A text with values in it."""
    template, *values = eqn.args
    assert isinstance(template, Literal)
    left = [e.of(atom) for atom in values]
    parts: list[Piece] = []
    for text, field, spec, conversion in Formatter().parse(str(template.value)):
        parts += [quoted(text)] if text else []
        if field is None:
            continue
        value = left.pop(0)
        if spec or conversion or value.type not in (*NUMBERS, STRING, SIZES, INTS):
            raise e.refusal(eqn, "a formatted string")
        parts.append(write("{}({})", SIZES, value) if value.type == INTS else value)
    return call("c10::str", *parts, type=STRING)


STRUCTURAL: dict[str, Callable[[Operands, Eqn], Expr]] = {
    "getitem": _entries,
    "item": _item,
    "tuple": _tuple,
    "list": _list,
    "len": _len,
    "shape": _shape,
    "ndim": _ndim,
    "size": _size,
    "dtype": _dtype_of,
    "like": _like,
    "sum_to": _sum_to,
    "broadcast_like": _sum_to,
    "expect_like": _sum_to,
    "gradient_like": _sum_to,
    "in_place": _in_place,
    "accumulate": _accumulate,
    "added": _added,
    "is_none": _is_none,
    "not_": _not,
    "slice": _slice,
    "format": _format,
}
