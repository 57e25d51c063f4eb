"""Tangents of what is put together from several tensors: the tangents, put together alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pullback import aten

from ..dtypes import tangent


def _tangents(primals: Sequence[Any], tangents: Sequence[Any]) -> list[Any]:
    return [tangent(given, primal) for given, primal in zip(tangents, primals, strict=True)]


def cat_jvp(primals: Sequence[Any], tangents: Sequence[Any], dim: int) -> Any:
    """The tangents, one behind the other."""
    return aten.cat(_tangents(primals, tangents), dim)


def stack_jvp(primals: Sequence[Any], tangents: Sequence[Any], dim: int) -> Any:
    """The tangents along a new axis."""
    return aten.stack(_tangents(primals, tangents), dim)


def block_diag_jvp(primals: Sequence[Any], tangents: Sequence[Any]) -> Any:
    """The tangents on the diagonal."""
    return aten.block_diag(_tangents(primals, tangents))
