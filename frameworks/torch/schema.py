"""The schema of an operator, inferred from a formula's signature."""

from __future__ import annotations

import ast
import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..transpile.codes import diagnostic
from ..transpile.diagnostics import FormulaError
from ..transpile.frontend.syntax.text import parse
from ..transpile.ir import Formula, Param, Span

_SCALARS = {"int": int, "float": float, "bool": bool, "str": str}


class Signature:
    """A formula's parameters as an operator's arguments.

    text   the arguments of the schema, without parentheses
    names  their names, in the order of the schema
    """

    def __init__(self, formula: Formula) -> None:
        self._params = formula.params
        self._names = [param.var.name for param in self._params]
        self._defaults = {
            param.var.name: None if param.default is None else param.default.value
            for param in self._params
            if param.default is not None or param.optional
        }
        types = [_schema_type(formula, param) for param in self._params]
        self._convert: dict[str, Callable[[Any], Any]] = {
            name: tuple if kind.endswith("[]") or kind.endswith("[]?") else _one_or_more
            for name, kind, param in zip(self._names, types, self._params, strict=True)
            if param.attribute and "[" in kind
        }
        declared: list[str] = []
        pairs = list(zip(self._params, types, strict=True))
        ordered = [pair for pair in pairs if not pair[0].keyword]
        keyword = [pair for pair in pairs if pair[0].keyword]
        declared += [self._declared(formula, *pair) for pair in ordered]
        declared += ["*"] if keyword else []
        declared += [self._declared(formula, *pair) for pair in keyword]
        self.text = ", ".join(declared)
        self.names = [param.var.name for param, _ in (*ordered, *keyword)]
        self._positions = [param.var.name for param, _ in ordered]
        self._single = [param.var.name for param in self._params if param.var.kind != "list"]
        self._lists = [param.var.name for param in self._params if param.var.kind == "list"]

    def bound(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments of a call by name, in the formula's types; a kernel is not passed its defaults."""
        given = {**self._defaults, **dict(zip(self._positions, args, strict=False)), **kwargs}
        for name, convert in self._convert.items():
            if given[name] is not None:
                given[name] = convert(given[name])
        return given

    def applied(self, given: Mapping[str, Any]) -> list[Any]:
        """The arguments of the formula's autograd function: lists last, element by element."""
        flat = [given[name] for name in self._single]
        flat += [len(given[name]) for name in self._lists[:-1]]
        for name in self._lists:
            flat += given[name]
        return flat

    def of_applied(self, flat: Sequence[Any]) -> tuple[list[Any], dict[str, Any]]:
        """The operator's arguments of those of the autograd function."""
        given = dict(zip(self._single, flat, strict=False))
        start = len(self._single) + max(0, len(self._lists) - 1)
        counts = flat[len(self._single) : start]
        for name, count in zip(self._lists, [*counts, len(flat)], strict=False):
            given[name] = list(flat[start : start + count])
            start += count
        positional = [given.pop(name) for name in self._positions]
        return positional, {
            name: [value] if self._convert.get(name) is _one_or_more and isinstance(value, int) else value
            for name, value in given.items()
        }

    def _declared(self, formula: Formula, param: Param, kind: str) -> str:
        name = param.var.name
        if name not in self._defaults:
            return f"{kind} {name}"
        return f"{kind} {name}={_default(formula, param, kind, self._defaults[name])}"


def _one_or_more(values: Any) -> Any:
    """The value of an argument that takes a number or several: a list of one is that number."""
    return values[0] if len(values) == 1 else tuple(values)


def _schema_type(formula: Formula, param: Param) -> str:
    if param.var.kind == "list":
        return "Tensor[]"
    if not param.attribute:
        if param.default is not None and param.default.value is not None:
            message = f"the operand `{param.var.name}` is a number by default, which no tensor of a schema is"
            hint = f"give it none, or make it an attribute: `*, {param.var.name}: float = ...`"
            raise refused(formula, param, message, hint)
        return "Tensor?" if param.optional else "Tensor"
    found = _annotated(param.annotation) if param.annotation != "Tensor" else _of_default(param)
    if found is None:
        written = param.var.name
        if param.annotation != "Tensor":
            written += f": {param.annotation}"
        message = f"no type of a schema is that of the attribute `{written}`"
        hint = (
            "annotate it as int, float, bool, str, tuple[int, ...], tuple[float, ...], or one of these | None"
        )
        raise refused(formula, param, message, hint)
    return found


def _annotated(annotation: str) -> str | None:
    """The type of an annotation; None where a schema has none.

    >>> _annotated("int | tuple[int, ...] | None"), _annotated("float"), _annotated("dict")
    ('int[1]?', 'float', None)
    """
    try:
        tree = ast.parse(annotation.strip("\"' "), mode="eval").body
    except SyntaxError:
        return None
    parts = _alternatives(tree)
    optional = "?" if None in parts else ""
    kinds = {part for part in parts if part is not None}
    if kinds == {"int", "float"}:
        kinds = {"float"}
    if len(kinds) == 2:
        single = min(kinds, key=len)
        return f"{single}[1]{optional}" if kinds == {single, f"{single}[]"} and single == "int" else None
    (kind,) = kinds if len(kinds) == 1 else ("",)
    return f"{kind}{optional}" if kind else None


def _alternatives(tree: ast.expr) -> list[str | None]:
    """The types of a union, None for None, "" for what is unknown."""
    match tree:
        case ast.Constant(value=None):
            return [None]
        case ast.Name(id=name) if name in _SCALARS:
            return [name]
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return [*_alternatives(left), *_alternatives(right)]
        case ast.Subscript(value=ast.Name(id="Optional") | ast.Attribute(attr="Optional"), slice=inner):
            return [*_alternatives(inner), None]
        case ast.Subscript(value=ast.Name(id="Literal") | ast.Attribute(attr="Literal"), slice=inner):
            values = inner.elts if isinstance(inner, ast.Tuple) else [inner]
            kinds = {type(value.value).__name__ for value in values if isinstance(value, ast.Constant)}
            return [kind if kind in _SCALARS else "" for kind in kinds]
        case ast.Subscript(value=ast.Name(id="tuple" | "list" | "Sequence"), slice=inner):
            values = inner.elts if isinstance(inner, ast.Tuple) else [inner]
            kinds = {value.id for value in values if isinstance(value, ast.Name)}
            known = kinds.pop() if len(kinds) == 1 else ""
            return [f"{known}[]" if known in ("int", "float", "bool") else ""]
    return [""]


def _of_default(param: Param) -> str | None:
    """The type of an attribute without an annotation."""
    value = None if param.default is None else param.default.value
    if isinstance(value, tuple) and value:
        kinds = {type(part).__name__ for part in value}
        return f"{kinds.pop()}[]" if kinds in ({"int"}, {"float"}, {"bool"}) else None
    kind = type(value).__name__
    return kind if kind in _SCALARS else None


def _default(formula: Formula, param: Param, kind: str, value: Any) -> str:
    if value is None:
        return "None"
    if isinstance(value, str):
        return json.dumps(value)
    values = value if isinstance(value, tuple) else (value,)
    if not all(math.isfinite(each) for each in values):
        message = f"the default of `{param.var.name}`, {value!r}, cannot be written in a schema"
        raise refused(formula, param, message, "give a finite default, or none")
    texts = [str(float(each) if kind.startswith("float") else each) for each in values]
    return f"[{', '.join(texts)}]" if isinstance(value, tuple) else texts[0]


def refused(formula: Formula, param: Param | None, message: str, hint: str) -> FormulaError:
    """The error for a formula whose signature no schema has, at the parameter."""
    span = formula.span if param is None else _place(formula, param)
    message = f"`{formula.name}` cannot be registered: {message}"
    finding = diagnostic("PB502", message, span, name=formula.name, hint=hint)
    return FormulaError([finding], formula.source)


def _place(formula: Formula, param: Param) -> Span:
    """The parameter in the formula's text."""
    text = parse(formula.source)
    for node in ast.walk(text.tree):
        if isinstance(node, ast.FunctionDef) and text.span(node).line == formula.span.line:
            for each in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
                if each.arg == param.var.name:
                    return text.span(each)
    return formula.span
