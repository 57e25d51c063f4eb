"""Collective operators: what the processes of a program compute together, with derivatives of every order.

They take NumPy's arrays and tensors, which MPI carries (mpi4py), and torch's tensors (torch.distributed).
Gradients are those of the sum of what all processes differentiate.

>>> import numpy as np
>>> from pullback import distributed
>>> distributed.all_reduce(np.array([1.0, 2.0]), group=distributed.Alone())
array([1., 2.])
"""

from ..engine.core.errors import DistributedError
from .collectives import all_gather, all_reduce, all_to_all, broadcast, recv, reduce, reduce_scatter, send
from .group import Alone, Group
from .mpi import MPIGroup

__all__ = [
    "Alone",
    "DistributedError",
    "Group",
    "MPIGroup",
    "all_gather",
    "all_reduce",
    "all_to_all",
    "broadcast",
    "recv",
    "reduce",
    "reduce_scatter",
    "send",
]
