"""Rules for forward mode that PyTorch's loader writes out by itself."""

from __future__ import annotations

import ast
import copy

from ..building import build, name
from ..writer import FormulaWriter
from .comparing import same

LINEAR = "auto_linear"
ELEMENT_WISE = "auto_element_wise"


def automatic(tangent: ast.expr, writer: FormulaWriter, gradient: ast.expr | None) -> str | None:
    """`auto_linear` or `auto_element_wise` where that is the rule, or None.

    gradient  the only formula of the entry, or None where there are several
    """
    # C++ has one argument for dtype, layout and device, which the loader's text would name.
    packed = writer.entry.function.func.arguments.tensor_options is not None
    if not packed and same(tangent, _linear(writer)):
        return LINEAR
    if gradient is None or writer.in_place or len(writer.differentiable) != 1:
        return None
    return ELEMENT_WISE if same(tangent, _element_wise(writer, gradient)) else None


def _linear(writer: FormulaWriter) -> ast.expr:
    """The operator itself, of tangents."""
    function = writer.entry.function.func.name.name
    arguments = [
        f"{each.written}_t" if each.written in writer.differentiable else each.written
        for each in writer.parameters
    ]
    return writer.tangent(f"at::{function}({', '.join(arguments)})")


def _element_wise(writer: FormulaWriter, gradient: ast.expr) -> ast.expr:
    """The gradient's formula, of the conjugate tangent, conjugate."""
    (given,) = writer.differentiable
    values = {
        "grad": build("aten.conj(TANGENT)", TANGENT=name(f"{given}_t")),
        given: name(f"{given}_p"),
    }
    return build("aten.conj(GRADIENT)", GRADIENT=_Named(values).visit(copy.deepcopy(gradient)))


class _Named(ast.NodeTransformer):
    def __init__(self, values: dict[str, ast.expr]) -> None:
        self.values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.values.get(node.id, node)
