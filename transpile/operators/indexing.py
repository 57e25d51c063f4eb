"""Operators that select entries by their places, and those that put them back there."""

from __future__ import annotations

from ..ir import Literal
from ..ir.types import Dim, Shape, TensorType, TypeMistake
from .call import Call
from .info import OperatorInfo
from .shapes import given_shape, of_operand


def _getitem(call: Call, a: TensorType) -> Shape | None:
    """Constant indices: whole numbers, slices, new axes and an ellipsis."""
    index = call.attributes.get("index")
    if not isinstance(index, Literal) or not isinstance(a.shape, tuple):
        return None
    parts = index.value if isinstance(index.value, tuple) else (index.value,)
    if not all(part is None or part is ... or type(part) is int or isinstance(part, slice) for part in parts):
        return None
    used = sum(part is not None and part is not ... for part in parts)
    if used > len(a.shape):
        raise TypeMistake(f"{used} indices into an array of {len(a.shape)} axes")
    if ... not in parts:
        parts = (*parts, ...)
    dims: list[Dim] = []
    rest = list(a.shape)
    for part in parts:
        if part is None:
            dims.append(1)
        elif part is ...:
            count = len(rest) - sum(p is not None for p in parts[parts.index(...) + 1 :])
            dims += rest[:count]
            del rest[:count]
        elif isinstance(part, slice):
            dim = rest.pop(0)
            whole = part == slice(None)
            length = len(range(dim)[part]) if isinstance(dim, int) else call.size(len(dims))
            dims.append(dim if whole else length)
        else:
            dim = rest.pop(0)
            if isinstance(dim, int) and not -dim <= part < dim:
                raise TypeMistake(f"there is no entry {part} among {dim}")
    return tuple(dims)


def _region(name: str) -> OperatorInfo:
    """An operator on the entries of an array that a write has named."""
    return OperatorInfo(name, f"pullback.primitives.{name}", ("a",), ("region",), linear=(0,))


OPERATORS: tuple[OperatorInfo, ...] = (
    OperatorInfo(
        "getitem", "operator.getitem", ("a",), ("index",), kind="view", linear=(0,),
        type=of_operand(_getitem),
    ),
    OperatorInfo(
        "take_along_axis", "numpy.take_along_axis", ("arr",), ("indices", "axis"), linear=(0,),
        torch="torch.take_along_dim",
    ),
    OperatorInfo(
        "put_along", "pullback.primitives.put_along", ("a",), ("indices", "axis", "shape"), linear=(0,),
        type=of_operand(given_shape),
    ),
    OperatorInfo(
        "index_put", "pullback.primitives.index_put", ("a", "value"), ("index", "repeated"),
        linear=(0, 1), jointly=True,
    ),
    OperatorInfo(
        "last_written", "pullback.primitives.last_written", (), ("index", "shape"),
        derivative="zero", dtype="bool", type=lambda call: call.tensor(None, "bool"),
    ),
    OperatorInfo(
        "unslice", "pullback.primitives.unslice", ("a",), ("index", "shape"), linear=(0,),
        type=of_operand(given_shape),
    ),
    _region("take_region"),
    _region("spread_region"),
    _region("clear_region"),
)  # fmt: skip
