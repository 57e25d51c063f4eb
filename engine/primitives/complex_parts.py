"""The imaginary unit times a number, on arrays and on tensors.

It is an operator with a formula in `formulas/complex_parts.py`; what stands here is its meaning on arrays.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .plumbing import recorded


@recorded
def imaginary(x: Any) -> Any:
    """The imaginary unit times a number.

    >>> imaginary(np.array([2.0]))
    array([0.+2.j])
    """
    return np.multiply(1j, x)
