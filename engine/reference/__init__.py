"""The reference engine: pure Python on NumPy, made to be read.

A gradient's way through it: `apply` runs an operator and records a `node`, which
saves what its backward needs; `backward` visits the nodes from
the youngest to the oldest and adds up gradients until they reach leaves.
"""

from __future__ import annotations

from .apply import apply, set_anomaly, set_observer, set_packing
from .backward import current_pass, run_backward, start_backward
from .create import from_numpy, tensor
from .storage import write_clock
from .tensor import Tensor

name = "reference"
composed = unrecorded = None  # no ways of its own (calls/call.py): to look for them in vain takes 1 us

__all__ = [
    "Tensor",
    "apply",
    "current_pass",
    "from_numpy",
    "name",
    "run_backward",
    "set_anomaly",
    "set_observer",
    "set_packing",
    "start_backward",
    "tensor",
    "write_clock",
]
