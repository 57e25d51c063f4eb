"""Gradients of dropout."""

from __future__ import annotations

from typing import Any


def infinitely_differentiable_native_dropout_backward(grad: Any, mask: Any, scale: float) -> Any:
    """y = x m s, with a mask and a number: dx = m s dy."""
    return grad * (mask * scale)


def native_dropout_double_backward(grad: Any, grad_output: Any, mask: Any, scale: float) -> Any:
    """g m s is linear in g."""
    return grad * (mask * scale)


def _fused_dropout_backward(grad: Any, mask: Any, kept: float) -> Any:
    """y = x m / p, with the probability p of what is kept."""
    return grad * (mask * (1 / kept))
