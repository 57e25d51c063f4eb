"""NumPy's functions that are other operators in a signature of their own.

Their arguments come one by one where an operator takes a list, or a list comes
out. Each is written with operators, on tensors; on arrays it is NumPy's.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from .adjoints import undiagonal
from .call import call
from .contraction import contract
from .copying import duplicate
from .dispatch import engine_of

# The function that stands for one of NumPy's, on tensors.
WRITTEN_WITH_OPERATORS: dict[Callable[..., Any], Callable[..., Any]] = {}


def _stands_for(target: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorates a function of tensors: on arrays alone NumPy's own runs."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def dispatching(*args: Any, **kwargs: Any) -> Any:
            if engine_of(*args, *kwargs.values()) is None:
                return target(*args, **kwargs)
            return function(*args, **kwargs)

        WRITTEN_WITH_OPERATORS[target] = dispatching
        return dispatching

    return decorate


@_stands_for(np.einsum)
def einsum(subscripts: str, *operands: Any) -> Any:
    """As `np.einsum`, with subscripts as a string; tensors in, a tensor out, recorded.

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


@_stands_for(np.split)
def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    """As `np.split`: a list of tensors that share the memory, recorded.

    >>> import pullback as pb
    >>> split(pb.tensor([1.0, 2.0, 3.0]), [1])
    [tensor([1.]), tensor([2., 3.])]
    """
    return _pieces(ary, np.split(np.arange(ary.shape[axis]), indices_or_sections), axis)


@_stands_for(np.array_split)
def array_split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    """As `np.array_split`: parts may differ in length by one."""
    return _pieces(ary, np.array_split(np.arange(ary.shape[axis]), indices_or_sections), axis)


@_stands_for(np.hsplit)
def hsplit(ary: Any, indices_or_sections: Any) -> list[Any]:
    """As `np.hsplit`: parts beside each other."""
    return split(ary, indices_or_sections, 0 if ary.ndim == 1 else 1)  # type: ignore[no-any-return]


@_stands_for(np.vsplit)
def vsplit(ary: Any, indices_or_sections: Any) -> list[Any]:
    """As `np.vsplit`: parts on top of each other."""
    return split(ary, indices_or_sections, 0)  # type: ignore[no-any-return]


def _pieces(ary: Any, positions: list[Any], axis: int) -> list[Any]:
    """The stretches of an axis that each hold these positions, which follow each other."""
    before = (slice(None),) * (axis % ary.ndim)
    bounds = ((int(part[0]), int(part[-1]) + 1) if part.size else (0, 0) for part in positions)
    return [ary[(*before, slice(start, stop))] for start, stop in bounds]


@_stands_for(np.ravel)
def ravel(a: Any, order: str = "C") -> Any:
    """As `np.ravel`, in row-major order; ValueError for another one."""
    if order != "C":
        raise ValueError(f"np.ravel of a tensor is in row-major order, not {order!r}; transpose it first")
    return call("reshape", a, shape=(-1,))


@_stands_for(np.copy)
def copy(a: Any) -> Any:
    """As `np.copy`: the same values in new memory, with the same history."""
    return duplicate(a)


@_stands_for(np.diag)
def diag(v: Any, k: int = 0) -> Any:
    """As `np.diag`: the diagonal of a matrix, or the matrix with a vector on its diagonal.

    >>> import pullback as pb
    >>> diag(pb.tensor([1.0, 2.0]))
    tensor([[1., 0.],
            [0., 2.]])
    """
    if v.ndim == 2:
        return call("diagonal", v, offset=k)
    if v.ndim != 1:
        raise ValueError(f"np.diag takes a vector or a matrix, not {v.ndim} axes")
    n = v.shape[0] + abs(k)
    return undiagonal(v, offset=k, axis1=0, axis2=1, shape=(n, n))
