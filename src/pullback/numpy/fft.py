"""NumPy's Fourier transforms on tensors: the `fft` extension of the array API standard.

Their results are complex, and complex values have no gradients here: of a tensor
that requires grad they raise NotDifferentiableError.
"""

from __future__ import annotations

from typing import Any

import numpy as _numpy


def __getattr__(name: str) -> Any:
    return getattr(_numpy.fft, name)
