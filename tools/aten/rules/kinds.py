"""Dtypes, layouts, devices, and numbers of C++'s Scalar."""

from __future__ import annotations

import ast
from typing import Any

from ..building import build
from ..cpp import field, text_of
from ..scope import Scope
from .calls import Call, call_of
from .rule import Read

OF_TENSORS = {
    "scalar_type": "VALUE.dtype",
    "dtype": "VALUE.dtype",
    "layout": "aten.layout(VALUE)",
    "device": "VALUE",  # what is asked of a device is asked of the tensor
    "is_complex": "aten.is_complex(VALUE)",
    "is_cpu": "aten.is_cpu(VALUE)",
    "is_xpu": "aten.is_xpu(VALUE)",
    "suggest_memory_format": "aten.suggest_memory_format(VALUE)",
}
OF_SCALARS = {
    "conj": "conjugate(VALUE)",
    "isComplex": "is_complex(VALUE)",
    "toDouble": "VALUE",
    "toFloat": "VALUE",
    "toComplexDouble": "VALUE",
}
ENUMERATORS = {
    "c10::MemoryFormat::Contiguous": "CONTIGUOUS",
    "at::Reduction::None": "NO_REDUCTION",
}


def of_tensor(call: Call, scope: Scope, read: Read) -> ast.expr | None:
    """`x.scalar_type()` is `x.dtype`."""
    if call.receiver is None or call.arguments or call.name not in OF_TENSORS:
        return None
    return build(OF_TENSORS[call.name], VALUE=read(call.receiver))


def of_scalar(call: Call, scope: Scope, read: Read) -> ast.expr | None:
    """`alpha.conj()` is `conjugate(alpha)`: a Scalar is a number of Python."""
    if call.receiver is None or call.arguments or call.name not in OF_SCALARS:
        return None
    held = text_of(call.receiver).removesuffix(".conj()")
    if scope.type_of(held) != "Scalar":
        return None
    pattern = OF_SCALARS[call.name]
    if "(" in pattern:
        scope.helpers.add(pattern.partition("(")[0])
    return build(pattern, VALUE=read(call.receiver))


def enumerator(node: Any, scope: Scope, read: Read) -> ast.expr | None:
    """`at::Reduction::None` is NO_REDUCTION, `c10::MemoryFormat::Contiguous` is CONTIGUOUS."""
    text = ENUMERATORS.get(text_of(node))
    if text is None:
        return None
    scope.helpers.add(text)
    return build(text)


def jagged(node: Any, scope: Scope, read: Read) -> ast.expr | None:
    """`x.layout() == c10::kJagged` is `aten.is_jagged(x)`."""
    left, right = field(node, "left"), field(node, "right")
    if text_of(right) != "c10::kJagged" or left.type != "call_expression":
        return None
    return build("aten.is_jagged(VALUE)", VALUE=read(call_of(left).receiver))


RULES = {"qualified_identifier": (enumerator,), "binary_expression": (jagged,)}
CALLS = (of_scalar, of_tensor)
