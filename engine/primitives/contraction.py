"""Sums of products of arrays by subscripts: what `np.einsum` computes, and its gradients; those of `@`.

The gradient of an einsum is an einsum: the operand's subscripts take the place
of the output's, and the output's gradient takes the place of the operand. An
axis that only this operand has is summed over in the forward, so the gradient
is repeated along it (a factor of ones); a subscript that an operand has twice
picks a diagonal, which a factor that is an identity matrix puts back.
"""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...transpile.attributes import spelled_out
from ..core.registry import FORMULAS
from .plumbing import like, recorded, sum_to


@recorded
def contract(arrays: Sequence[Any], subscripts: str) -> Any:
    """The sum of products of the arrays that the subscripts state, as `np.einsum`.

    arrays      arrays or tensors, one per group of subscripts
    subscripts  as those of `np.einsum`, with "..." and without "->" too

    ValueError where they don't fit the arrays.

    >>> contract([np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1.0, 10.0])], "ij,j->i")
    array([21., 43.])
    """
    return np.asarray(np.einsum(subscripts, *arrays, optimize=len(arrays) > 1))


def contract_gradients(grad: Any, arrays: Sequence[Any], subscripts: str) -> list[Any]:
    """The gradients of `contract` by each of its arrays, each of the array's shape and dtype.

    >>> x, y = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    >>> contract_gradients(np.array(1.0), [x, y], "i,i->")
    [array([3., 4.]), array([1., 2.])]
    """
    groups, output = spelled_out(subscripts, [np.ndim(array) for array in arrays])
    return [_gradient(grad, arrays, groups, output, position) for position in range(len(arrays))]


def _gradient(grad: Any, arrays: Sequence[Any], groups: Sequence[str], output: str, position: int) -> Any:
    """One of them."""
    target = like(arrays[position])
    factors: list[Any] = [grad, *(array for i, array in enumerate(arrays) if i != position)]
    names = [output, *(group for i, group in enumerate(groups) if i != position)]
    known = set("".join(names))
    unused = iter(sorted(set(string.ascii_letters) - set("".join(groups))))
    result = ""
    for name, length in zip(groups[position], target.shape, strict=True):
        if name in result:
            again = next(unused)
            factors.append(np.eye(length, dtype=target.dtype))
            names.append(name + again)
            result += again
        else:
            if name not in known:
                factors.append(np.ones(length, target.dtype))
                names.append(name)
            result += name
    found = contract(factors, f"{','.join(names)}->{result}")
    if like(found) == target:
        return found
    repeated = (n if m == 1 else m for m, n in zip(found.shape, target.shape, strict=True))
    return sum_to(np.broadcast_to(found, tuple(repeated)), target)


def matmul_gradients(grad: Any, x1: Any, x2: Any) -> tuple[Any, Any]:
    """The gradients of ``x1 @ x2`` by both, each of the operand's shape and dtype.

    grad    the gradient of the product, of its shape
    x1, x2  what was multiplied: vectors, matrices or stacks of them, which broadcast

    What they are made of stands in `formulas/linalg.py`.

    >>> matmul_gradients(np.array(1.0), np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    (array([3., 4.]), array([1., 2.]))
    """
    gradients: tuple[Any, Any] = FORMULAS[matmul_gradients](grad, x1, x2)
    return gradients
