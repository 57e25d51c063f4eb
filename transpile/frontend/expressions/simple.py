"""Constants, names, tuples, lists, attributes and nested functions."""

from __future__ import annotations

import ast

from ...ir import Literal, Var
from ..state.growing import new_list
from ..state.lookup import lookup
from ..state.readers import read
from ..state.values import Dotted, Frame, Function, Items, Value, elements
from ..syntax import fence
from ..syntax.fence import refuse
from ..syntax.spelling import canonical, constant_of
from .arithmetic import arithmetic, join
from .templates import read_template

_METADATA = frozenset({"shape", "ndim", "size", "dtype"})
_PARTS = {"real": "real", "imag": "imag"}


def read_constant(frame: Frame, node: ast.Constant, name: str | None) -> Value:
    """A number, a string, None or ``...``."""
    if node.value is None or node.value is Ellipsis or isinstance(node.value, bool | int | float | str):
        return Literal(node.value)
    kind = type(node.value).__name__
    raise refuse("PB402", f"a constant of type {kind} is outside of the formula language", frame.span(node))


def read_name(frame: Frame, node: ast.Name, name: str | None) -> Value:
    """The value that a name holds."""
    return lookup(frame, node)


def read_items(frame: Frame, node: ast.Tuple | ast.List, name: str | None) -> Value:
    """A tuple or a list that is written out."""
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
        elif isinstance(inner, Var) and inner.kind == "value" and not _is_collected(frame, inner):
            pieces += [Items(tuple(parts)), inner]
            parts = []
        elif isinstance(node, ast.List) and isinstance(inner, Var) and inner not in frame.build.texts:
            return _joined_lists(frame, node)
        else:
            raise fence.expression(item, frame.span(item))
    if not pieces:
        return new_list(frame, parts) if isinstance(node, ast.List) else Items(tuple(parts))
    joined: Value = pieces[0]
    for piece in (*pieces[1:], Items(tuple(parts))):
        joined = join(frame, joined, piece, node)
    return joined


def _joined_lists(frame: Frame, node: ast.List) -> Value:
    """``[a, *xs, b]`` of a list or a tensor whose length only the run knows: lists one after the other."""
    joined: Value = new_list(frame, [])
    for item in node.elts:
        if isinstance(item, ast.Starred):
            part = read_template(frame, "found = list(xs)", {"xs": read(frame, item.value)}, item)
        else:
            part = new_list(frame, [read(frame, item)])
        joined = arithmetic(frame, "add", joined, part, node) if elements(joined) != () else part
    return joined


def _is_collected(frame: Frame, var: Var) -> bool:
    """True of a list of numbers that a loop leaves."""
    made = frame.build.made.get(var)
    return var in frame.build.lists or (made is not None and made.op == "for")


def read_attribute(frame: Frame, node: ast.Attribute, name: str | None) -> Value:
    """``module.name``, ``x.shape``, ``x.T``, or an element of a named tuple, also of one of the module."""
    base = read(frame, node.value)
    if isinstance(base, Dotted):
        dotted = canonical(f"{base.name}.{node.attr}")
        return constant_of(dotted) or Dotted(dotted, f"{base.text}.{node.attr}")
    if isinstance(base, Items) and node.attr in base.names:
        return base.items[base.names.index(node.attr)]
    if isinstance(base, Literal) and node.attr in getattr(base.value, "_fields", ()):
        return Literal(getattr(base.value, node.attr))
    if isinstance(base, Var) and base.kind == "tensor":
        if node.attr in _METADATA:
            return frame.build.metadata(node.attr, (base,), frame.span(node), name)
        if node.attr == "T":
            return frame.build.emit("transpose", (base,), frame.span(node), name=name)
        if node.attr in _PARTS:
            return frame.build.emit(_PARTS[node.attr], (base,), frame.span(node), name=name)
        if node.attr == "mT":
            axes = (("axis1", Literal(-1)), ("axis2", Literal(-2)))
            return frame.build.emit("swapaxes", (base,), frame.span(node), kwargs=axes, name=name)
    raise refuse(
        "PB402",
        f"the attribute `.{node.attr}` is outside of the formula language",
        frame.span(node),
        value=node.attr,
        hint="of a tensor there are .shape, .ndim, .size, .dtype, .T, .real and .imag",
    )


def read_lambda(frame: Frame, node: ast.Lambda, name: str | None) -> Value:
    """A nested function without a name."""
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
