"""NumPy's linear algebra on tensors, recorded: the `linalg` extension of the array API standard.

A name that is not here is that of `numpy.linalg`, which calls the formulas too where it gets tensors.
"""

from __future__ import annotations

from typing import Any

import numpy as _numpy


def __getattr__(name: str) -> Any:
    return getattr(_numpy.linalg, name)
