"""Products of arrays that are other operators in a signature of their own."""

from __future__ import annotations

import string
from itertools import pairwise
from operator import index
from typing import Any

import numpy as np

from ...calls.call import arrays as arrays_of
from ...calls.call import operators
from ...calls.out_argument import refuse_out
from ...calls.wide import wide
from ...primitives.contraction import contract
from ..signatures.arguments import rank
from .subscripts import MatrixProduct, Sum, plan_of
from .table import formulas, stands_for

_LETTERS = string.ascii_uppercase + string.ascii_lowercase  # in the order of their characters


def _conjugated(x: Any) -> Any:
    if _are_floats(x):
        return x
    return np.conjugate(x) if np.iscomplexobj(x) else x


def _are_matrices(*operands: Any) -> bool:
    """True of vectors and matrices, whose products are those of `np.matmul`."""
    for operand in operands:  # noqa: SIM110 - a generator takes longer than all of these
        if not 1 <= rank(operand) <= 2:
            return False
    return True


def _are_floats(*operands: Any) -> bool:
    """True of arrays of floats, whose sums are of the same dtype."""
    for operand in operands:  # noqa: SIM110 - as above
        if not hasattr(operand, "dtype") or operand.dtype.kind != "f":
            return False
    return True


@wide("dot", always=True)
def dot(a: Any, b: Any, out: Any = None) -> Any:
    """As `np.dot`."""
    refuse_out("dot", out)
    return operators.matmul(a, b) if _are_matrices(a, b) else formulas.dot(a, b)


@wide("inner", always=True)
def inner(a: Any, b: Any) -> Any:
    """As `np.inner`."""
    if not _are_matrices(a, b):
        return formulas.inner(a, b)
    return operators.matmul(a, b if rank(b) == 1 else np.transpose(b))


@wide("vdot", always=True)
def vdot(a: Any, b: Any) -> Any:
    """As `np.vdot`: the first operand is conjugated where it is complex."""
    a = _conjugated(a)
    return operators.matmul(a, b) if rank(a) == rank(b) == 1 else formulas.vdot(a, b)


@wide("tensordot", always=True)
def tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    """As `np.tensordot`. ValueError where axes that are summed differ in length."""
    axes = arrays_of(axes)
    axes = index(axes) if np.ndim(axes) == 0 else axes
    if isinstance(axes, int) and axes == 1 and _are_matrices(a, b):
        return operators.matmul(a, b)
    if isinstance(axes, (tuple, list)):
        first, second = (np.atleast_1d(each).tolist() for each in axes)
        if [np.shape(a)[k] for k in first] != [np.shape(b)[k] for k in second]:
            raise ValueError(f"shapes {np.shape(a)} and {np.shape(b)} do not fit along the axes {axes}")
    return formulas.tensordot(a, b, axes=axes)


@stands_for(np.vecdot)
def vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    """As `np.vecdot`: the first operand is conjugated where it is complex."""
    return _vecdot(_conjugated(x1), x2, axis)


@stands_for(np.linalg.vecdot)
def linalg_vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    """As `np.linalg.vecdot`: the first operand is conjugated where it is complex."""
    return _vecdot(_conjugated(x1), x2, axis)


def _vecdot(x1: Any, x2: Any, axis: int) -> Any:
    first, second = rank(x1), rank(x2)
    if first == 0 or second == 0:
        raise ValueError(f"vecdot takes vectors, and operand {0 if first == 0 else 1} has no axes")
    if first == second == 1 and axis in (0, -1):
        return operators.matmul(x1, x2)
    if _are_floats(x1, x2) and x1.shape == x2.shape:
        return operators.sum(x1 * x2, axis=axis)
    return formulas.vecdot(x1, x2, axis=axis)


@stands_for(np.cross)
def cross(a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None) -> Any:
    """As `np.cross`, of vectors with three entries: each is a difference of products of the other two."""
    axisa, axisb, axisc = (axisa, axisb, axisc) if axis is None else (axis, axis, axis)
    a, b = _vectors(a, axisa), _vectors(b, axisb)
    if a.shape[-1] != 3 or b.shape[-1] != 3:
        raise ValueError(
            f"np.cross of tensors takes vectors of 3 entries, not {a.shape[-1]} and {b.shape[-1]}"
        )
    a0, a1, a2, b0, b1, b2 = a[..., 0], a[..., 1], a[..., 2], b[..., 0], b[..., 1], b[..., 2]
    found = operators.stack([a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0], axis=-1)
    return found if axisc == -1 else operators.moveaxis(found, source=-1, destination=axisc)


def _vectors(x: Any, axis: int) -> Any:
    """The array with the axis of its vectors as the last."""
    x = x if hasattr(x, "shape") else np.asarray(x)
    if x.ndim == 0:
        raise ValueError("At least one array has zero dimension")
    return x if axis == -1 else operators.moveaxis(x, source=axis, destination=-1)


@stands_for(np.correlate)
def correlate(a: Any, v: Any, mode: str = "valid") -> Any:
    """As `np.correlate`: the second operand is conjugated where it is complex."""
    if rank(a) == 0 or rank(v) == 0:
        raise ValueError("object of too small depth for desired array")
    return formulas.correlate(a, _conjugated(v), mode)


@stands_for(np.einsum)
def einsum(subscripts: Any, *operands: Any, optimize: Any = False) -> Any:
    """As `np.einsum`; tensors in, a tensor out, recorded.

    Subscripts are a string, or lists of numbers between the operands. The order of the products is always
    chosen, whatever `optimize` says. ValueError where they don't fit the operands.

    >>> import pullback as pb
    >>> x = pb.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    >>> pb.grad(einsum("ii", x), x)[0]
    tensor([[1., 0.],
            [0., 1.]])
    """
    if not isinstance(subscripts, str):
        subscripts, operands = _interleaved(subscripts, *operands)
    plan = plan_of(subscripts)
    if plan is not None and len(operands) <= 2 and _are_floats(*operands):
        planned = _planned(subscripts, operands, plan)
        if planned is not None:
            return planned
    return contract(list(operands), subscripts=subscripts)


def _interleaved(*given: Any) -> tuple[str, tuple[Any, ...]]:
    """Subscripts as a string, and the operands, of ``einsum(x, [0, 1], y, [1, 2], [0, 2])``."""
    operands, lists = given[0 : len(given) // 2 * 2 : 2], given[1::2]
    result = f"->{_letters(given[-1])}" if len(given) % 2 else ""
    return ",".join(map(_letters, lists)) + result, operands


def _letters(axes: Any) -> str:
    """Numbers of axes as letters, and an Ellipsis as dots. TypeError for others, ValueError beyond 51."""
    return "".join("..." if axis is Ellipsis else _LETTERS[_number(axis)] for axis in axes)


def _number(axis: Any) -> int:
    number = index(axis)
    if not 0 <= number < len(_LETTERS):
        raise ValueError(f"einsum: subscripts are numbers from 0 to 51, not {number}")
    return number


def _planned(subscripts: str, operands: tuple[Any, ...], plan: MatrixProduct | Sum) -> Any:
    """The product or sum that the subscripts state; None where the operands don't fit, or repeat axes."""
    groups = subscripts.replace(" ", "").partition("->")[0].split(",")
    if list(map(len, groups)) != [operand.ndim for operand in operands]:
        return None
    lengths = [
        dict(zip(*each, strict=True)) for each in zip(groups, (x.shape for x in operands), strict=True)
    ]
    if any(lengths[0].get(letter, length) != length for letter, length in lengths[-1].items()):
        return None
    if isinstance(plan, Sum):
        terms = operands[0] if len(operands) == 1 else operands[0] * operands[1]
        return operators.sum(terms, axis=plan.axes[0] if len(plan.axes) == 1 else plan.axes)
    left, right = operands[::-1] if plan.swapped else operands
    return operators.matmul(left.T if plan.transposed[0] else left, right.T if plan.transposed[1] else right)


@stands_for(np.kron)
def kron(a: Any, b: Any) -> Any:
    """As `np.kron`: each entry of the first times all of the second, as blocks."""
    a, b = (given if hasattr(given, "shape") else np.asarray(given) for given in (a, b))
    count = max(a.ndim, b.ndim)
    blocks, block = ((1,) * (count - given.ndim) + given.shape for given in (a, b))
    outer = [length for each in blocks for length in (each, 1)]
    inner = [length for each in block for length in (1, each)]
    products = operators.reshape(a, shape=tuple(outer)) * operators.reshape(b, shape=tuple(inner))
    return operators.reshape(products, shape=tuple(n * m for n, m in zip(blocks, block, strict=True)))


@stands_for(np.linalg.multi_dot)
def multi_dot(arrays: Any, *, out: Any = None) -> Any:
    """As `np.linalg.multi_dot`: the product of all, in the order that is cheapest."""
    for left, right in pairwise(arrays):
        if np.shape(left)[-1] != np.shape(right)[0]:
            raise ValueError(f"shapes {np.shape(left)} and {np.shape(right)} not aligned")
    if len(arrays) == 2 and _are_matrices(*arrays):
        return operators.matmul(*arrays)
    letters = "abcdefghijklmnopqrstuvwxyz"
    first = 0 if arrays[0].ndim == 2 else 1
    groups = [letters[k : k + 2] for k in range(len(arrays))]
    groups[0] = groups[0][first:]
    groups[-1] = groups[-1][: arrays[-1].ndim]
    ends = (groups[0][0] if first == 0 else "") + (groups[-1][1] if arrays[-1].ndim == 2 else "")
    return contract(list(arrays), subscripts=f"{','.join(groups)}->{ends}")


@stands_for(getattr(np, "matvec", None))
def matvec(x1: Any, x2: Any, /) -> Any:
    """As `np.matvec`: each matrix of a stack times each vector."""
    return operators.matmul(x1, x2) if rank(x1) >= 2 and rank(x2) == 1 else formulas.matvec(x1, x2)


@stands_for(getattr(np, "vecmat", None))
def vecmat(x1: Any, x2: Any, /) -> Any:
    """As `np.vecmat`: each vector, conjugated where it is complex, times each matrix of a stack."""
    x1 = _conjugated(x1)
    return operators.matmul(x1, x2) if rank(x1) == 1 and rank(x2) >= 2 else formulas.vecmat(x1, x2)
