"""Complex values: gradients ``dL/dx + i dL/dy``, and what has none."""

from __future__ import annotations

from typing import Any


def not_complex(operator: Any) -> str:
    """The message for an operator whose closure is not said to be right for complex values."""
    return (
        f"{operator.span}: {operator.name} has complex values among what is differentiated, and its closure "
        "holds for real ones: compute with their real and imaginary parts. A formula of your own whose "
        "closure is the transpose of the derivative for complex values too says so by "
        "@pb.formula(complex=True)"
    )


def in_dtype(gradient: Any, dtype: Any) -> Any:
    """A gradient, an array or a tensor, in the dtype of its value: that of a real one is real.

    >>> import numpy as np
    >>> in_dtype(np.array([1 + 2j]), np.dtype("float32"))
    array([1.], dtype=float32)
    """
    if gradient.dtype.kind == "c" and dtype.kind != "c":
        gradient = gradient.real
    return gradient.astype(dtype)
