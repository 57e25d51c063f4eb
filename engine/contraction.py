"""Sums of products of arrays by subscripts: what `np.einsum` computes, and its gradients.

The gradient of an einsum is an einsum: the operand's subscripts take the place
of the output's, and the output's gradient takes the place of the operand. An
axis that only this operand has is summed over in the forward, so the gradient
is repeated along it (a factor of ones); a subscript that an operand has twice
picks a diagonal, which a factor that is an identity matrix puts back.
"""

from __future__ import annotations

import string
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from .plumbing import like, recorded, sum_to

_ELLIPSIS = "..."


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


def spelled_out(subscripts: str, ranks: Sequence[int]) -> tuple[list[str], str]:
    """The subscripts of each operand and of the output, "..." replaced by letters that are not used.

    >>> spelled_out("...ij,jk", [3, 2])
    (['Aij', 'jk'], 'Aik')
    """
    inputs, arrow, output = subscripts.replace(" ", "").partition("->")
    groups = inputs.split(",")
    if len(groups) != len(ranks):
        raise ValueError(
            f"einsum: {len(groups)} groups of subscripts in {subscripts!r} for {len(ranks)} arrays"
        )
    unused = sorted(set(string.ascii_letters) - set(subscripts))
    lengths = [rank - len(group.replace(_ELLIPSIS, "")) for group, rank in zip(groups, ranks, strict=True)]
    for group, rank, length in zip(groups, ranks, lengths, strict=True):
        if length < 0 or (length and _ELLIPSIS not in group):
            raise ValueError(f"einsum: {group!r} in {subscripts!r} does not fit an array with {rank} axes")
    letters = "".join(unused[: max(lengths)])
    replaced = [
        group.replace(_ELLIPSIS, letters[len(letters) - length :])
        for group, length in zip(groups, lengths, strict=True)
    ]
    if not arrow:
        counts = Counter("".join(groups).replace(".", ""))
        output = letters + "".join(sorted(name for name, count in counts.items() if count == 1))
    return replaced, output.replace(_ELLIPSIS, letters)


def tensordot_subscripts(rank_a: int, rank_b: int, axes: Any) -> str:
    """The subscripts of `np.tensordot` of arrays with so many axes.

    axes  how many of the last axes of the first meet the first of the second,
          or a pair of axes or lists of them

    >>> tensordot_subscripts(3, 2, 1)
    'abc,cd->abd'
    >>> tensordot_subscripts(2, 2, ([0, 1], [1, 0]))
    'ab,ba->'
    """
    if isinstance(axes, int):
        axes = (range(rank_a - axes, rank_a), range(axes))
    of_a, of_b = ([each] if isinstance(each, int) else list(each) for each in axes)
    if len(of_a) != len(of_b):
        raise ValueError(f"tensordot: {len(of_a)} axes of the first array, {len(of_b)} of the second")
    letters = iter(string.ascii_letters)
    a = [next(letters) for _ in range(rank_a)]
    b = [""] * rank_b
    for i, k in zip(of_a, of_b, strict=True):
        b[k] = a[i]
    met = set(b) - {""}
    b = [name or next(letters) for name in b]
    output = [name for name in (*a, *b) if name not in met]
    return f"{''.join(a)},{''.join(b)}->{''.join(output)}"


def dot_subscripts(rank_a: int, rank_b: int, axis: int) -> str:
    """The subscripts of `np.dot` and `np.inner`: the last axis of the first meets this one of the second.

    A number multiplies every entry; of a vector it is the only axis.

    >>> dot_subscripts(2, 3, -2), dot_subscripts(1, 1, -2), dot_subscripts(0, 2, -1)
    ('ab,cbd->acd', 'a,a->', ',ab->ab')
    """
    if rank_a == 0 or rank_b == 0:
        return tensordot_subscripts(rank_a, rank_b, 0)
    return tensordot_subscripts(rank_a, rank_b, (-1, -1 if rank_b == 1 else axis))
