"""Functions of one entry in CUDA C++, by the names that they have in kernels."""

from __future__ import annotations

from . import OPERATORS

# As the table says: CUDA's own function of each, or ``pb::name`` where `emit.cuda.runtime` has one;
# and the form of `where` that lowering chooses.
CUDA: dict[str, str] = {
    operator.scalar.cpp: operator.scalar.cuda
    for operator in OPERATORS.values()
    if operator.scalar is not None and operator.scalar.cuda is not None
} | {"where_stored": "pb::where_stored"}
