"""Products of arrays that are other operators in a signature of their own."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..call import call
from ..contraction import contract
from .table import stands_for


@stands_for(np.einsum)
def einsum(subscripts: Any, *operands: Any, optimize: Any = False) -> Any:
    """As `np.einsum`, with subscripts as a string; tensors in, a tensor out, recorded.

    The order of the products is always chosen, whatever `optimize` says.

    TypeError for subscripts in lists between the operands, which are not taken;
    ValueError where they don't fit the operands.

    >>> import pullback as pb
    >>> x = pb.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    >>> pb.grad(einsum("ii", x), x)[0]
    tensor([[1., 0.],
            [0., 1.]])
    """
    if not isinstance(subscripts, str):
        raise TypeError("np.einsum of tensors takes its subscripts as a string, 'ij,jk->ik'")
    return contract(list(operands), subscripts=subscripts)


@stands_for(np.kron)
def kron(a: Any, b: Any) -> Any:
    """As `np.kron`: each entry of the first times all of the second, as blocks."""
    ndim = max(np.ndim(a), np.ndim(b))
    rows = (1,) * (ndim - np.ndim(a)) + np.shape(a)
    columns = (1,) * (ndim - np.ndim(b)) + np.shape(b)
    between = np.reshape(a, tuple(n for pair in zip(rows, (1,) * ndim, strict=True) for n in pair))
    inside = np.reshape(b, tuple(n for pair in zip((1,) * ndim, columns, strict=True) for n in pair))
    return np.reshape(between * inside, tuple(n * m for n, m in zip(rows, columns, strict=True)))


@stands_for(np.linalg.multi_dot)
def multi_dot(arrays: Any, *, out: Any = None) -> Any:
    """As `np.linalg.multi_dot`: the product of all, in the order that is cheapest."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    first = 0 if arrays[0].ndim == 2 else 1
    groups = [letters[k : k + 2] for k in range(len(arrays))]
    groups[0] = groups[0][first:]
    groups[-1] = groups[-1][: arrays[-1].ndim]
    ends = (groups[0][0] if first == 0 else "") + (groups[-1][1] if arrays[-1].ndim == 2 else "")
    return contract(list(arrays), subscripts=f"{','.join(groups)}->{ends}")


def _along(x: Any, axis: int) -> Any:
    return np.moveaxis(x, axis, -1)


@stands_for(getattr(np, "vecdot", None), getattr(np.linalg, "vecdot", None))
def vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    """As `np.vecdot`: products summed over an axis that both have."""
    return contract([_along(x1, axis), _along(x2, axis)], subscripts="...i,...i->...")


@stands_for(getattr(np, "matvec", None))
def matvec(x1: Any, x2: Any, /) -> Any:
    """As `np.matvec`: each matrix of a stack times each vector."""
    return contract([x1, x2], subscripts="...ij,...j->...i")


@stands_for(getattr(np, "vecmat", None))
def vecmat(x1: Any, x2: Any, /) -> Any:
    """As `np.vecmat`: each vector times each matrix of a stack."""
    return contract([x1, x2], subscripts="...i,...ij->...j")


@stands_for(np.linalg.outer)
def _linalg_outer(x1: Any, x2: Any, /) -> Any:
    """As `np.linalg.outer`, of vectors only."""
    if np.ndim(x1) != 1 or np.ndim(x2) != 1:
        raise ValueError(
            f"Input arrays must be one-dimensional, but they are {np.ndim(x1)} and {np.ndim(x2)}."
        )
    return call("outer", x1, x2)


@stands_for(np.linalg.matmul)
def _linalg_matmul(x1: Any, x2: Any, /) -> Any:
    """As `np.matmul`."""
    return call("matmul", x1, x2)


@stands_for(np.linalg.tensordot)
def _linalg_tensordot(x1: Any, x2: Any, /, *, axes: Any = 2) -> Any:
    """As `np.tensordot`."""
    return call("tensordot", x1, x2, axes=axes)


@stands_for(np.correlate)
def correlate(a: Any, v: Any, mode: Any = "valid") -> Any:
    """As `np.correlate`: a convolution with the second vector read backwards."""
    return np.convolve(a, np.flip(v), mode)
