"""The types that annotations of attributes state."""

from __future__ import annotations

import ast

from ..ir.types import ScalarType, TableType, Type
from ..operators.call import number_dtype

_ANNOTATIONS: dict[str, Type] = {
    "int": ScalarType("int"),
    "float": ScalarType("float"),
    "bool": ScalarType("bool"),
    "str": ScalarType("str"),
}


_TUPLES = frozenset({"tuple", "Tuple", "list", "List", "Sequence"})


def annotated(text: str) -> Type | None:
    """The type that an annotation states, or None.

    >>> print(annotated("float"), annotated("tuple[tuple[float, ...], ...]"))
    float tuple[tuple[float64, ...], ...]
    """
    return _ANNOTATIONS.get(text) or _table(ast.parse(text.strip("\"' "), mode="eval").body)


def _table(node: ast.expr) -> TableType | None:
    """The type of tuples of numbers of one kind."""
    if not isinstance(node, ast.Subscript) or ast.unparse(node.value).split(".")[-1] not in _TUPLES:
        return None
    items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    found = {
        _table(item) or _ANNOTATIONS.get(ast.unparse(item))
        for item in items
        if not isinstance(item, ast.Constant)
    }
    inner = found.pop() if len(found) == 1 else None
    if isinstance(inner, TableType):
        return TableType(inner.dtype, inner.depth + 1)
    dtype = number_dtype(inner)
    return None if dtype is None else TableType(dtype)
