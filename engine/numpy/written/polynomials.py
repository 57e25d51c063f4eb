"""Polynomials by their coefficients, the highest power first."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...calls.call import arrays
from ...core.errors import NotDifferentiableError
from ...transforms.forward_ad import differentiated
from .table import stands_for


def _aligned(a1: Any, a2: Any) -> tuple[Any, Any]:
    """Both with as many coefficients."""
    a1, a2 = np.atleast_1d(a1), np.atleast_1d(a2)
    n = max(len(a1), len(a2))
    return np.pad(a1, (n - len(a1), 0)), np.pad(a2, (n - len(a2), 0))


@stands_for(np.roots)
def roots(p: Any) -> Any:
    """As `np.roots`: the eigenvalues of the companion matrix.

    Raises NotDifferentiableError where the first coefficient is 0, on which no root that is found depends as
    it should, or the last two are: a double root has no derivative.
    """
    p = np.atleast_1d(p) * 1.0
    values = np.roots(arrays(p))
    if not differentiated((p,)):
        return p.__array_namespace__().asarray(values)
    if p.size > 1 and (arrays(p)[0] == 0 or not np.any(arrays(p)[-2:])):
        raise NotDifferentiableError(
            "np.roots has no gradient where the first coefficient is 0, or the last two are: leave them out"
        )
    companion = np.concatenate([-p[None, 1:] / p[0], np.eye(p.size - 2, p.size - 1, dtype=p.dtype)])
    found = np.linalg.eigvals(companion)
    # NumPy has a root 0 last, which is an eigenvalue among others.
    distances = np.abs(values[:, None] - arrays(found))
    return found[np.argmin(distances, axis=1)] if values.size else found


@stands_for(np.polyval)
def polyval(p: Any, x: Any) -> Any:
    """As `np.polyval`: the value at x, by Horner's rule; Python numbers are arrays of their own dtype."""
    x = x if hasattr(x, "dtype") else np.asarray(x)
    value = x * 0
    for coefficient in p:
        value = value * x + (coefficient if hasattr(coefficient, "dtype") else np.asarray(coefficient))
    return value


@stands_for(np.polyadd)
def polyadd(a1: Any, a2: Any) -> Any:
    """As `np.polyadd`."""
    first, second = _aligned(a1, a2)
    return first + second


@stands_for(np.polysub)
def polysub(a1: Any, a2: Any) -> Any:
    """As `np.polysub`."""
    first, second = _aligned(a1, a2)
    return first - second


@stands_for(np.polyint)
def polyint(p: Any, m: int = 1, k: Any = None) -> Any:
    """As `np.polyint`: the coefficients of the m-th integral, with the constants k."""
    constants = np.broadcast_to(0.0 if k is None else k, (m,))
    for i in range(m):
        p = np.concatenate([p / np.arange(len(p), 0, -1), constants[i : i + 1]])
    return p


@stands_for(np.vander)
def vander(x: Any, N: int | None = None, increasing: bool = False) -> Any:
    """As `np.vander`: the powers of each entry as a row."""
    if np.ndim(x) != 1:
        raise ValueError("x must be a one-dimensional array or sequence.")
    powers = np.arange(len(x) if N is None else N)
    return np.expand_dims(x, 1) ** (powers if increasing else powers[::-1])
