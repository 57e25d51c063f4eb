"""Templates of the vocabulary with expressions in the place of their fields."""

from __future__ import annotations

from collections.abc import Mapping
from string import Formatter

from ...ir import Eqn
from .code import Code, Piece, write
from .operands import Operands
from .values import INT, INTS, NONE, PARTS, PRIMARY, SIZES, TENSOR, TENSORS, Expr, braced


def filled(e: Operands, eqn: Eqn, template: str, given: Mapping[str, Expr]) -> Expr:
    """The template with expressions in the place of fields."""
    written: list[str] = []
    pieces: list[Piece | str] = []
    for text, field, form, _ in Formatter().parse(template):
        if written and written[-1] == "{}" and text[:1] == ".":  # a member of what stands before it
            pieces[-1] = _within(pieces[-1])
        written.append(text)
        if field is not None:
            written.append("{}")
            pieces.append(_field(e, eqn, given, field, form or ""))
    type = TENSORS if eqn.outs[0].kind == "list" else TENSOR
    return Expr(write("".join(written), *pieces), type)


def _field(e: Operands, eqn: Eqn, given: Mapping[str, Expr], field: str, form: str) -> Piece | str:
    """The value of a field of a template."""
    name = field.removesuffix("?")
    value = given.get(name)
    if value is not None and value.type == NONE:
        value = None
    if name == "dtype":
        return options(e, eqn, given)
    if value is None:
        if name != field:
            return ""
        if form == "optional":
            return "std::nullopt"
        if form in ("", "axes", "list"):
            raise e.refusal(eqn, f"{eqn.op} without {name}")
        return form
    found = argument(e, eqn, value)
    if name != field:
        return write(", {}", found)
    if form == "list" and value.type == INT:
        return braced([value])
    return write("some_axes({})", found) if form == "axes" and value.type in (INTS, SIZES) else found


def argument(e: Operands, eqn: Eqn, value: Expr) -> Piece:
    """A value as an argument: a list or a tuple in braces."""
    if value.type == TENSORS and value.parts:
        return braced(value.parts)
    if value.type == PARTS and not all(part.type == INT for part in value.parts):
        raise e.refusal(eqn, f"{eqn.op} with {value.text}")
    return value


def options(e: Operands, eqn: Eqn, given: Mapping[str, Expr]) -> Code:
    """The dtype and the device of an array that is made of numbers."""
    dtype = given.get("dtype")
    if dtype is None or dtype.type == NONE:
        numbers = [given[name] for name in ("start", "stop", "step") if name in given]
        whole = bool(numbers) and all(value.type == INT for value in numbers)
        found = write("at::kLong" if whole else "at::kDouble")
    else:
        found = e.dtype(eqn, dtype)
    if e.beside is not None:
        return write("{}.options().dtype({})", e.beside, found)
    return write("at::dtype({})", found)


def _within(piece: Piece | str) -> Piece | str:
    return piece.within(PRIMARY) if isinstance(piece, Expr) else piece
