"""Subscripts of `np.einsum` that state a product of matrices or a sum over axes: operators of their own."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple


class MatrixProduct(NamedTuple):
    """A product of two vectors or matrices: which of them are transposed, and whether they change places."""

    transposed: tuple[bool, bool]
    swapped: bool


class Sum(NamedTuple):
    """A sum of the product of operands of the same axes over some of these."""

    axes: tuple[int, ...]


@cache
def plan_of(subscripts: str) -> MatrixProduct | Sum | None:
    """The contraction that the subscripts state; None where it is neither, or they are not spelled out.

    >>> plan_of("ij,jk->ik")
    MatrixProduct(transposed=(False, False), swapped=False)
    >>> plan_of("ij,ij->i"), plan_of("ijk->j"), plan_of("ii->i")
    (Sum(axes=(1,)), Sum(axes=(0, 2)), None)
    """
    given, arrow, result = subscripts.replace(" ", "").partition("->")
    groups = given.split(",")
    repeats = any(len(set(group)) < len(group) for group in (*groups, result))
    if not arrow or "." in subscripts or repeats or not set(result) <= set("".join(groups)):
        return None
    if len(set(groups)) == 1 and len(groups) <= 2 and len(groups[0]) > len(result):
        kept = [letter for letter in groups[0] if letter in result]
        if "".join(kept) == result and (len(groups) == 1 or len(groups[0]) > 1):
            return Sum(tuple(k for k, letter in enumerate(groups[0]) if letter not in result))
    return _matrix_product(groups, result) if len(groups) == 2 else None


def _matrix_product(groups: list[str], result: str) -> MatrixProduct | None:
    left, right = groups
    summed = set(left) & set(right)
    free = [group.replace(next(iter(summed)), "") for group in groups] if len(summed) == 1 else []
    if not free or summed & set(result) or max(map(len, free)) > 1 or set(result) != set("".join(free)):
        return None
    swapped = result != "".join(free)
    if swapped:
        left, right = right, left
    # The axis that is summed comes last in the first factor, and first in the second one.
    letter = next(iter(summed))
    return MatrixProduct((left[-1] != letter, right[0] != letter), swapped)
