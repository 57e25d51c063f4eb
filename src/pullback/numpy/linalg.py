"""NumPy's linear algebra on tensors, recorded: the `linalg` extension of the array API standard.

A name that is not here is that of `numpy.linalg`, which calls the formulas too where it gets tensors.
"""

from __future__ import annotations

from typing import Any

import numpy as _numpy

from ..engine.numpy.written.table import direct


def __getattr__(name: str) -> Any:
    found = globals()[name] = direct(getattr(_numpy.linalg, name))
    return found


def __dir__() -> list[str]:
    return [*globals(), *dir(_numpy.linalg)]
