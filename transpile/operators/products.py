"""Products of arrays, and linear algebra."""

from __future__ import annotations

from ..attributes import tensordot_subscripts
from ..ir.dtypes import widen
from ..ir.types import Dim, ScalarType, TensorType, Type, TypeMistake, join_dims, join_shapes, shape_text
from .call import Call, joined_dtype
from .info import OperatorInfo


def _matmul(call: Call) -> Type:
    dtype = joined_dtype(call.operands)
    a, b = call.operand(0), call.operand(1)
    if a is None or b is None or not (isinstance(a.shape, tuple) and isinstance(b.shape, tuple)):
        return call.tensor(None, dtype)
    if not a.shape or not b.shape:
        raise TypeMistake("a matrix product takes arrays with axes, not numbers")
    inner, other = a.shape[-1], b.shape[-2] if len(b.shape) > 1 else b.shape[0]
    _same(inner, other, a, b)
    batch = join_shapes([a.shape[:-2], b.shape[:-2]])
    assert isinstance(batch, tuple)
    rows = a.shape[-2:-1] if len(a.shape) > 1 else ()
    columns = b.shape[-1:] if len(b.shape) > 1 else ()
    return call.tensor((*batch, *rows, *columns), dtype)


def _same(first: Dim, second: Dim, a: TensorType, b: TensorType) -> None:
    if isinstance(first, int) and isinstance(second, int) and first != second:
        shapes = f"({shape_text(a.shape)}) and ({shape_text(b.shape)})"
        raise TypeMistake(
            f"a product of arrays of shapes {shapes} sums over {first} entries and over {second}"
        )


def _outer(call: Call) -> Type:
    dims: list[Dim] = []
    for place in (0, 1):
        given = call.operand(place)
        one = given is not None and isinstance(given.shape, tuple) and len(given.shape) == 1
        dims.append(given.shape[0] if one else call.size(place))  # type: ignore[union-attr,index]
    return call.tensor(tuple(dims), joined_dtype(call.operands))


def _dot(call: Call) -> Type:
    """dot and inner: over the last axis of the first, and the last but one, or the last, of the second."""
    dtype = joined_dtype(call.operands)
    a, b = call.operand(0), call.operand(1)
    if a is None or b is None or not (isinstance(a.shape, tuple) and isinstance(b.shape, tuple)):
        return call.tensor(None, dtype)
    if not a.shape or not b.shape:
        return call.tensor((*a.shape, *b.shape), dtype)
    axis = len(b.shape) - 1 if call.op == "inner" else max(0, len(b.shape) - 2)
    _same(a.shape[-1], b.shape[axis], a, b)
    return call.tensor((*a.shape[:-1], *b.shape[:axis], *b.shape[axis + 1 :]), dtype)


def _contract(call: Call) -> Type:
    """A sum of products by subscripts."""
    found = call.types.get("subscripts")
    known = found.text if isinstance(found, ScalarType) else None
    text = known or call.fixed("subscripts")[1]
    return _by_subscripts(call, text, call.list().items)


def _tensordot(call: Call) -> Type:
    a, b, (known, axes) = call.operand(0), call.operand(1), call.fixed("axes", 2)
    text = None
    if (
        known
        and a is not None
        and b is not None
        and isinstance(a.shape, tuple)
        and isinstance(b.shape, tuple)
    ):
        try:
            text = tensordot_subscripts(len(a.shape), len(b.shape), axes)
        except (ValueError, IndexError) as error:
            raise TypeMistake(f"axes {axes} of arrays of {len(a.shape)} and {len(b.shape)} axes") from error
    return _by_subscripts(call, text, call.operands)


def _by_subscripts(call: Call, text: object, given: tuple[Type | None, ...]) -> Type:
    """The sum of products in which a letter stands for one size, or for 1."""
    dtype = joined_dtype(given)
    items = [item for item in given if isinstance(item, TensorType)]
    if not isinstance(text, str) or "..." in text or "->" not in text:
        return call.tensor(None, dtype)
    letters, _, output = text.replace(" ", "").partition("->")
    parts = letters.split(",")
    shapes = [item.shape for item in items if isinstance(item.shape, tuple)]
    sizes: dict[str, list[Dim]] = {}
    for part, shape in zip(parts, shapes, strict=False) if len(shapes) == len(parts) else ():
        if len(part) != len(shape):
            raise TypeMistake(f"`{part}` are {len(part)} subscripts of an array of {len(shape)} axes")
        for letter, size in zip(part, shape, strict=True):
            sizes.setdefault(letter, []).append(size)
    dims = {letter: join_dims(given) for letter, given in sizes.items()}
    return call.tensor(tuple(dims.get(letter, call.size(k)) for k, letter in enumerate(output)), dtype)


def _matrix(a: TensorType) -> None:
    if isinstance(a.shape, tuple) and len(a.shape) < 2:
        raise TypeMistake(f"an array of {len(a.shape)} axes is no matrix")


def _square(a: TensorType) -> None:
    _matrix(a)
    if not isinstance(a.shape, tuple):
        return
    rows, columns = a.shape[-2:]
    if isinstance(rows, int) and isinstance(columns, int) and rows != columns:
        raise TypeMistake(f"an array of shape ({shape_text(a.shape)}) is no square matrix")


def _of_matrix(call: Call) -> Type:
    """The rule of results with the operand's shape: an inverse, a factor."""
    a = call.operand(0)
    if a is None:
        return call.unknown()
    _square(a)
    return call.tensor(a.shape, widen("divide", a.dtype))


def _det(call: Call) -> Type:
    a = call.operand(0)
    if a is None:
        return call.unknown()
    _square(a)
    shape = a.shape[:-2] if isinstance(a.shape, tuple) else None
    return call.tensor(shape, widen("divide", a.dtype))


def _solve(call: Call) -> Type:
    a, b, joined = call.operand(0), call.operand(1), joined_dtype(call.operands)
    dtype = None if joined is None else widen("divide", joined)
    if a is None or b is None:
        return call.tensor(None, dtype)
    _square(a)
    if not (isinstance(a.shape, tuple) and isinstance(b.shape, tuple)):
        return call.tensor(None, dtype)
    if not b.shape:
        raise TypeMistake("the right-hand side of equations is an array with axes")
    _same(a.shape[-1], b.shape[-min(2, len(b.shape))], a, b)
    if len(b.shape) == 1:
        return call.tensor((*a.shape[:-2], *b.shape), dtype)
    batch = join_shapes([a.shape[:-2], b.shape[:-2]])
    assert isinstance(batch, tuple)
    return call.tensor((*batch, *b.shape[-2:]), dtype)


def _pinv(call: Call) -> Type:
    a = call.operand(0)
    if a is None:
        return call.unknown()
    _matrix(a)
    shape = (*a.shape[:-2], *a.shape[:-3:-1]) if isinstance(a.shape, tuple) else None
    return call.tensor(shape, widen("divide", a.dtype))


def _factor(call: Call) -> Type:
    return call.like() or call.unknown()


# Gradients of a product's factors, each from the gradient and the other factor: in texts for frameworks,
# which ask for one or for both. They are helpers there, and no functions of the formula language.
FACTOR_GRADIENTS: dict[str, tuple[OperatorInfo, ...]] = {
    "matmul": tuple(
        OperatorInfo(name, name, ("grad", other), ("like",), kind="product", linear=(0, 1), type=_factor)
        for name, other in (("left_gradient", "x2"), ("right_gradient", "x1"))
    ),
}
OPERATORS: tuple[OperatorInfo, ...] = (
    OperatorInfo(
        "matmul", "numpy.matmul", ("x1", "x2"), kind="product", linear=(0, 1), infix="@",
        type=_matmul, torch="torch.matmul",
    ),
    OperatorInfo(
        "outer", "numpy.outer", ("a", "b"), kind="product", linear=(0, 1), type=_outer, torch="torch.outer"
    ),
    OperatorInfo(
        "contract", "pullback.primitives.contract", ("arrays",), ("subscripts",), kind="product",
        variadic=True, type=_contract,
    ),
    OperatorInfo(
        "contract_gradients", "pullback.primitives.contract_gradients", ("grad", "arrays"), ("subscripts",),
        kind="product", linear=(0,), gives_list=True, type=lambda call: call.list(1),
    ),
    OperatorInfo(
        "tensordot", "numpy.tensordot", ("a", "b"), ("axes",), kind="product", linear=(0, 1),
        type=_tensordot, torch="torch.tensordot",
    ),
    OperatorInfo(
        "dot", "numpy.dot", ("a", "b"), kind="product", linear=(0, 1), methods=("dot",), type=_dot
    ),
    OperatorInfo(
        "vdot", "numpy.vdot", ("a", "b"), kind="product", linear=(0, 1),
        type=lambda call: call.tensor((), joined_dtype(call.operands)), torch="torch.vdot",
    ),
    OperatorInfo(
        "inner", "numpy.inner", ("a", "b"), kind="product", linear=(0, 1), type=_dot, torch="torch.inner"
    ),
    OperatorInfo(
        "convolve", "numpy.convolve", ("a", "v"), ("mode",), kind="product", linear=(0, 1),
        type=lambda call: call.tensor((call.size(0),), joined_dtype(call.operands)),
    ),
    OperatorInfo(
        "inv", "numpy.linalg.inv", ("a",), dtype="float", type=_of_matrix, torch="torch.linalg.inv"
    ),
    OperatorInfo(
        "solve", "numpy.linalg.solve", ("a", "b"), dtype="float", linear=(1,), type=_solve,
        torch="torch.linalg.solve",
    ),
    OperatorInfo("det", "numpy.linalg.det", ("a",), dtype="float", type=_det, torch="torch.linalg.det"),
    OperatorInfo(
        "cholesky", "numpy.linalg.cholesky", ("a",), dtype="float", type=_of_matrix,
        torch="torch.linalg.cholesky",
    ),
    OperatorInfo(
        "pinv", "numpy.linalg.pinv", ("a",), ("rcond",), dtype="float", type=_pinv, torch="torch.linalg.pinv"
    ),
)  # fmt: skip
