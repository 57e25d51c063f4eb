"""The parameters of an operator, as a formula states them."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .scope import python_name

# Kinds of values by the type of a schema, without what says that there are several or may be none.
VALUES = {
    "Scalar": "complex",
    "int": "int",
    "SymInt": "int",
    "float": "float",
    "bool": "bool",
    "str": "str",
    "ScalarType": "aten.ScalarType",
    "Layout": "aten.Layout",
    "Device": "aten.Device",
    "DeviceIndex": "int",
    "MemoryFormat": "aten.MemoryFormat",
    "Generator": "aten.Generator",
}
DEFAULTS = {"Mean": "1", "contiguous_format": "None", "[]": "()"}


@dataclass(frozen=True)
class Parameter:
    """A parameter: a tensor, a list of tensors, or a value.

    name        its name in Python
    written     its name in the schema
    type        its type there: "Tensor", "Tensor?", "SymInt[]"
    default     its default there, or None
    by_name     whether ATen takes it by name only
    mutable     whether the operator writes into it
    """

    name: str
    written: str
    type: str
    default: str | None
    by_name: bool
    mutable: bool = False

    @property
    def tensor(self) -> bool:
        """True for a tensor and for a list of them."""
        return self.type.startswith("Tensor")

    @property
    def listed(self) -> bool:
        """True for a list of tensors."""
        return self.type.startswith("Tensor") and "[" in self.type

    def argument(self) -> ast.arg:
        """The parameter with its annotation; a plain tensor has none."""
        text = self._annotation()
        return ast.arg(self.name, ast.parse(text, mode="eval").body if text else None)

    def _annotation(self) -> str | None:
        if self.tensor:
            if self.listed:
                return "list[pb.Tensor]"
            return "pb.Tensor | None" if self.type.endswith("?") else None
        base = self.type.split("(")[0].split("[")[0].rstrip("?")
        kind = VALUES[base]
        if "[" in self.type:
            kind = f"tuple[{kind}, ...]"
        return f"{kind} | None" if self.type.endswith("?") else kind

    def default_value(self) -> ast.expr | None:
        """The default as Python, or None where it must be given."""
        if self.default is None:
            return None
        text = DEFAULTS.get(self.default, self.default)
        if text.startswith("["):
            text = f"({text[1:-1]})"
        return ast.parse(text, mode="eval").body


def parameters(function: Any) -> tuple[Parameter, ...]:
    """The parameters of a native function, in the order of its schema."""
    schema = function.func
    named = {argument.name for argument in schema.arguments.flat_kwarg_only}
    return tuple(
        Parameter(
            python_name(argument.name),
            argument.name,
            str(argument.type),
            argument.default,
            argument.name in named,
            argument.annotation is not None and argument.annotation.is_write,
        )
        for argument in schema.arguments.flat_all
    )


def signature(given: Sequence[Parameter]) -> ast.arguments:
    """The parameters of a formula: tensors first, then values by name."""
    tensors = [parameter for parameter in given if parameter.tensor]
    values = [parameter for parameter in given if not parameter.tensor]
    return ast.arguments(
        [],
        [parameter.argument() for parameter in tensors],
        None,
        [parameter.argument() for parameter in values],
        [parameter.default_value() for parameter in values],
        None,
        [],
    )
