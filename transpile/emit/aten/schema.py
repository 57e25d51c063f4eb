"""The signature of a formula: as a schema of PyTorch's, and as parameters of C++."""

from __future__ import annotations

import json
import math
from typing import NamedTuple

from ...codes import diagnostic
from ...diagnostics import FormulaError
from ...ir import Formula, Param
from .code import Code, defined, write
from .values import BOOL, DOUBLE, DOUBLES, INT, SIZES, STRING, TENSOR, TENSORS, Expr, name


class Kind(NamedTuple):
    """A parameter's type in a schema, in C++, and in expressions."""

    schema: str
    cpp: str
    type: str


_KINDS = {
    "int": Kind("int", "int64_t", INT),
    "float": Kind("float", "double", DOUBLE),
    "bool": Kind("bool", "bool", BOOL),
    "str": Kind("str", "std::string_view", STRING),
    "tuple[int, ...]": Kind("int[]", "at::IntArrayRef", SIZES),
    "tuple[float, ...]": Kind("float[]", "at::ArrayRef<double>", DOUBLES),
}
_OF_DEFAULTS = {bool: "bool", int: "int", float: "float", str: "str", tuple: "tuple[int, ...]"}


def kind(param: Param, formula: Formula) -> Kind:
    """The types of a parameter. Raises FormulaError (PB502) for an attribute of a type that has none."""
    if param.var.kind == "list":
        return Kind("Tensor[]", "at::TensorList", TENSORS)
    if param.var.kind == "tensor":
        if param.optional:
            return Kind("Tensor?", "const std::optional<at::Tensor>&", TENSOR)
        return Kind("Tensor", "const at::Tensor&", TENSOR)
    annotation = param.annotation
    if annotation not in _KINDS and param.default is not None:
        value = param.default.value
        annotation = _OF_DEFAULTS.get(type(value), annotation)
        if isinstance(value, tuple) and not all(isinstance(each, int) for each in value):
            numbers = all(isinstance(each, int | float) for each in value)
            annotation = "tuple[float, ...]" if numbers else param.annotation
    if annotation not in _KINDS:
        shown = param.var.name
        message = f"a schema of PyTorch has no type for the attribute `{shown}`"
        raise _refused(
            formula, shown, message, f"annotate it with {', '.join(_KINDS)}: `{shown}: float = 1.0`"
        )
    return _KINDS[annotation]


def _refused(formula: Formula, value: str, message: str, hint: str) -> FormulaError:
    finding = diagnostic("PB502", message, formula.span, name=formula.name, value=value, hint=hint)
    return FormulaError([finding], formula.source)


def schema(formula: Formula, operator: str) -> str:
    """``name(Tensor x, *, float scale=2.0) -> Tensor``."""
    arguments = []
    for k, param in enumerate(formula.params):
        if param.keyword and not any(other.keyword for other in formula.params[:k]):
            arguments.append("*")
        text = f"{kind(param, formula).schema} {param.var.name}"
        if param.default is not None or param.optional:
            value = None if param.default is None else param.default.value
            numbers = value if isinstance(value, tuple) else (value,)
            infinite = any(isinstance(each, float) and not math.isfinite(each) for each in numbers)
            if infinite or (param.var.kind == "tensor" and value is not None):
                shown = param.var.name
                message = f"a schema of PyTorch has no default of {value} for `{shown}`"
                raise _refused(
                    formula, shown, message, "give it none, or make it an attribute of a finite one"
                )
            text += f"={_default(value)}"
        arguments.append(text)
    results = ", ".join(["Tensor"] * formula.results)
    returned = results if formula.results == 1 else f"({results})"
    return f"{operator}({', '.join(arguments)}) -> {returned}"


def _default(value: object) -> str:
    if isinstance(value, bool) or value is None:
        return str(value)
    if isinstance(value, tuple):
        return f"[{','.join(map(str, value))}]"  # PyTorch's loader splits arguments at ", "
    return json.dumps(value) if isinstance(value, str) else repr(value)


def parameter(param: Param, formula: Formula, ending: str = "") -> Code:
    """A parameter of the function, and of the struct's forward; its name has this ending."""
    return write("{} {}", kind(param, formula).cpp, f"{param.var.name}{ending}")


def unwrapped(param: Param) -> list[Code]:
    """The statement that makes a tensor, perhaps an undefined one, of an optional parameter."""
    shown = param.var.name
    return defined(TENSOR, shown, write("{}.value_or(at::Tensor())", f"{shown}_or_none"))


def value(param: Param, formula: Formula) -> Expr:
    """The expression of a parameter in the struct."""
    return name(param.var.name, kind(param, formula).type)


def result_type(formula: Formula) -> str:
    """The type of the function's results."""
    if formula.results == 1:
        return "at::Tensor"
    return f"std::tuple<{', '.join(['at::Tensor'] * formula.results)}>"
