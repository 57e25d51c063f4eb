"""The names that a formula of the table may use, and the types that C++ gives them."""

from __future__ import annotations

import keyword
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Scope:
    """The meaning of the names in a formula, and the imports that its Python text needs.

    types      the type of each name, as a schema spells it: "Tensor?", "SymInt[]"
    renamed    names whose Python is another name, or another expression
    gradients  the names of the gradients of the results, in order; that of a list of tensors is a list
    inputs     the differentiable inputs that the formula is for, in order, as `grad_input_mask` has them
    duals      lists of which a rule for forward mode has primals and tangents, and which it names by neither
    functions  ATen's functions by name, overloads each
    helpers    functions of FunctionsManual.cpp that the text calls
    modules    modules that the text calls
    """

    types: Mapping[str, str]
    functions: Mapping[str, Sequence[Any]]
    renamed: Mapping[str, str] = field(default_factory=dict)
    gradients: Sequence[str] = ()
    inputs: Sequence[str] = ()
    duals: frozenset[str] = frozenset()
    helpers: set[str] = field(default_factory=set)
    modules: set[str] = field(default_factory=set)

    def type_of(self, name: str) -> str | None:
        """The type of a name, or None where it is no argument."""
        return self.types.get(name)


def python_name(name: str) -> str:
    """The name, with a line behind it where Python has it for itself: `from_`."""
    return f"{name}_" if keyword.iskeyword(name) else name
