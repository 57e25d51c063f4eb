"""A formula's parameters: annotations are the contract."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import NamedTuple

from ..ir import Kind, Literal, Param, Var
from .names.constants import fold_node
from .state.values import Frame
from .syntax.fence import refuse
from .syntax.leaving import returns_a_closure

_TENSORS = frozenset({"Tensor", "ndarray", "NDArray", "Array", "ArrayLike"})
_LISTS = frozenset({"list", "List", "Sequence", "tuple", "Tuple"})
_VALUES = frozenset(
    {"int", "float", "bool", "str", "complex", "tuple", "list", "Tuple", "List", "Sequence", "None", "type"}
    | {"Literal", "dtype", "DTypeLike", "slice", "Optional", "Union", "SupportsIndex", "integer", "floating"}
    | {"ScalarType", "Layout", "Device", "MemoryFormat", "Generator"}  # of ATen
)


class Contract(NamedTuple):
    """The meaning of an annotation."""

    kind: Kind
    optional: bool


def contract(annotation: str) -> Contract | None:
    """The contract of an annotation as written, or None where it says nothing known.

    >>> contract("Tensor | None")
    Contract(kind='tensor', optional=True)
    >>> contract("list[Tensor]").kind, contract("tuple[int, ...]").kind
    ('list', 'value')
    """
    try:
        tree = ast.parse(annotation.strip("\"' "), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    if (
        isinstance(tree, ast.Subscript)
        and _leaf(tree.value) == "Annotated"
        and isinstance(tree.slice, ast.Tuple)
    ):
        tree = tree.slice.elts[0]
    optional = any(isinstance(item, ast.Constant) and item.value is None for item in ast.walk(tree))
    optional = optional or (isinstance(tree, ast.Subscript) and _leaf(tree.value) == "Optional")
    names = {_leaf(item) for item in ast.walk(tree)} - {""}
    if names & _TENSORS:
        array_of = any(
            isinstance(item, ast.Subscript)
            and _leaf(item.value) in _LISTS
            and {_leaf(x) for x in ast.walk(item.slice)} & _TENSORS
            for item in ast.walk(tree)
        )
        return Contract("list" if array_of else "tensor", optional)
    if (names and names <= _VALUES) or (not names and optional):
        return Contract("value", optional)
    if isinstance(tree, ast.Subscript) and _leaf(tree.value) == "Literal":
        return Contract("value", optional)
    return None


def _leaf(node: ast.AST) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return (
        node.id
        if isinstance(node, ast.Name) and node.id not in ("np", "pb", "npt", "numpy", "pullback", "aten")
        else ""
    )


def read_parameters(frame: Frame, node: ast.FunctionDef) -> tuple[Param, ...]:
    """Parameters in order, bound in the frame."""
    args = node.args
    for star, arg in (("*", args.vararg), ("**", args.kwarg)):
        if arg is not None:
            raise refuse(
                "PB406",
                f"`{star}{arg.arg}`: a formula states its parameters one by one",
                frame.span(arg),
                value=arg.arg,
                hint="write them out, or take a list: `xs: list[Tensor]`",
            )
    positional = [*args.posonlyargs, *args.args]
    missing = len(positional) - len(args.defaults)
    defaults = [None] * missing + list(args.defaults)
    values = _values_by_default(frame, node, positional, defaults)
    params = [
        _parameter(frame, arg, default, keyword=False, inferred=values.get(arg, ""))
        for arg, default in zip(positional, defaults, strict=True)
    ]
    _values_come_last(frame, params, positional)
    params += [
        _parameter(frame, arg, default, keyword=True)
        for arg, default in zip(args.kwonlyargs, args.kw_defaults, strict=True)
    ]
    return tuple(params)


def _values_by_default(
    frame: Frame, node: ast.FunctionDef, positional: list[ast.arg], defaults: Sequence[ast.expr | None]
) -> dict[ast.arg, str]:
    """Types of the last parameters without an annotation whose defaults are no tensors: `n=3`, `mode="full"`.

    Where the function returns a closure its gradients say which parameters are tensors.
    """
    found: dict[ast.arg, str] = {}
    if returns_a_closure(node):
        return found
    for arg, default in zip(reversed(positional), reversed(defaults), strict=True):
        if arg.annotation is not None:
            stated = contract(_text(arg.annotation))
            if stated is not None and stated.kind == "value":
                continue
            break
        literal = None if default is None else fold_node(default, frame.names)
        if literal is None or not isinstance(literal.value, int | str | tuple):
            break
        found[arg] = type(literal.value).__name__
    return found


def _values_come_last(frame: Frame, params: list[Param], written: list[ast.arg]) -> None:
    """Positional attributes stand behind the inputs, as a call binds its arguments in that order."""
    for param, arg, behind in zip(params, written, params[1:], strict=False):
        if param.attribute and not behind.attribute:
            name = param.var.name
            raise refuse(
                "PB406",
                f"`{name}: {param.annotation}` is a value, and stands before the tensor `{behind.var.name}`",
                frame.span(arg),
                value=name,
                hint=f"put `{name}` behind the tensors, or behind a `*`",
            )


def _parameter(
    frame: Frame, arg: ast.arg, default: ast.expr | None, keyword: bool, inferred: str = ""
) -> Param:
    written = inferred if arg.annotation is None else _text(arg.annotation)
    stated = contract(written) if written else Contract("value" if keyword else "tensor", False)
    if stated is None:
        raise refuse(
            "PB406",
            f"the annotation `{written}` of `{arg.arg}` says neither tensor nor number",
            frame.span(arg.annotation or arg),
            value=arg.arg,
            hint="Tensor, Tensor | None, list[Tensor], int, float, bool, str, tuple[int, ...]",
        )
    literal = None
    if default is not None:
        literal = fold_node(default, frame.names)
        if literal is None:
            raise refuse(
                "PB406",
                f"the default of `{arg.arg}` is not a constant",
                frame.span(default),
                value=arg.arg,
                hint="a number, string, bool, None, or a tuple of these",
            )
    var: Var = frame.build.fresh(arg.arg, stated.kind, frame.span(arg))
    optional = stated.optional or literal == Literal(None)
    if optional:
        frame.build.maybe_none.add(var)
    attribute = keyword or stated.kind == "value"
    if written == "str" or (literal is not None and isinstance(literal.value, str)):
        frame.build.texts.add(var)
    if stated.kind == "value" and not optional and written.strip("\"' ") in ("int", "float", "bool"):
        frame.build.numbers.add(var)
        if "float" not in written:
            frame.build.whole.add(var)
    if stated.kind == "value" and not optional and written.split("[")[0].strip("\"' ") in _LISTS:
        frame.build.tuples.add(var)
    frame.build.inputs.add(var)
    frame.bind(arg.arg, var, arg)
    return Param(var, written or "Tensor", attribute, keyword, not attribute, optional, literal)


def _text(node: ast.expr) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return ast.unparse(node)
