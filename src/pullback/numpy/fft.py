"""NumPy's Fourier transforms on tensors: the `fft` extension of the array API standard.

Derivatives of every order, with gradients of complex values as in PyTorch: docs/complex.md.
"""

from __future__ import annotations

from typing import Any

import numpy as _numpy

from ..engine.numpy.creation import fftfreq as fftfreq
from ..engine.numpy.creation import rfftfreq as rfftfreq
from ..engine.numpy.written.table import direct


def __getattr__(name: str) -> Any:
    found = globals()[name] = direct(getattr(_numpy.fft, name))
    return found


def __dir__() -> list[str]:
    return [*globals(), *dir(_numpy.fft)]
