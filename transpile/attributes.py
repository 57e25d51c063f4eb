"""Functions of attributes and numbers of axes that formulas call, for the engines and for folding.

They give values, never arrays, so that a formula whose attributes are known is decided when it is
transpiled.
"""

from __future__ import annotations

import string
from collections import Counter
from collections.abc import Sequence
from typing import Any

_ELLIPSIS = "..."


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


def p_of_norm(ord: Any, axis: int | tuple[int, ...] | None, ndim: int | None) -> float | None:
    """The p of the norm that `np.linalg.norm` means with these arguments, 2 for that of Frobenius.

    None for what is no p-norm of the entries, and for what depends on a number
    of axes that is not known. ValueError where NumPy has none, as `ord="fro"` of vectors.

    >>> p_of_norm("fro", (0, 1), 3), p_of_norm(None, None, None), p_of_norm(2, (0, 1), 2)
    (2.0, 2.0, None)
    """
    if ord is None:
        return 2.0
    if axis is None and ndim is None:
        return None
    matrix = len(axis) == 2 if isinstance(axis, tuple) else axis is None and ndim == 2
    if matrix and ord in ("fro", "f"):
        return 2.0
    if axis is None and ndim is not None and ndim > 2:
        raise ValueError(f"np.linalg.norm with ord={ord!r} of {ndim} axes needs to be told which: axis=...")
    if not matrix and isinstance(ord, str):
        raise ValueError(f"Invalid norm order {ord!r} for vectors")
    return None if matrix or ord == 0 else float(ord)
