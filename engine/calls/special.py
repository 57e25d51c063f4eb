"""`scipy.special` as emitted closures see it.

SciPy's ufuncs ask their arguments and work on tensors. Its plain functions turn
them into arrays; those of the vocabulary stand here instead.
"""

from __future__ import annotations

from typing import Any

import scipy.special

from .call import operators


def softmax(x: Any, axis: Any = None) -> Any:
    """As `scipy.special.softmax`, on arrays and tensors."""
    return operators.softmax(x, axis=axis)


def log_softmax(x: Any, axis: Any = None) -> Any:
    """As `scipy.special.log_softmax`, on arrays and tensors."""
    return operators.log_softmax(x, axis=axis)


def logsumexp(a: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """As `scipy.special.logsumexp`, on arrays and tensors."""
    return operators.logsumexp(a, axis=axis, keepdims=keepdims)


def __getattr__(name: str) -> Any:
    return getattr(scipy.special, name)
