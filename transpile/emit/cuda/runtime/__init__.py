"""The head of every CUDA file: places of entries, threads that share a fibre, NumPy's own functions."""

from __future__ import annotations

from ....operators.scalar import CUDA
from . import columns, entries, fibres, functions, joins, places

# Functions that the head has, and CUDA not.
OWN = frozenset(name for name, function in CUDA.items() if function == f"pb::{name}")

RUNTIME = "".join(part.TEXT for part in (places, entries, joins, fibres, columns, functions))
