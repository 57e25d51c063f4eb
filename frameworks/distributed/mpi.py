"""NumPy's arrays, carried by MPI."""

from __future__ import annotations

import atexit
import time
from functools import cache
from typing import Any

import numpy as np

from ..engine.core.errors import DistributedError
from .group import Group, call_text, different, digest, unlike

_SPINS = 200  # how often a request is asked before the process sleeps in between


class MPIGroup(Group):
    """The processes of an MPI communicator; NumPy's arrays and tensors.

    Parameters
    ----------
    comm : mpi4py.MPI.Comm, optional
        The communicator; MPI.COMM_WORLD if it is left out.
    timeout : float, optional
        How long a process waits for others, in seconds, before it raises DistributedError.

    Raises
    ------
    DistributedError
        There is no mpi4py.

    Examples
    --------
    A program in two processes: ``mpiexec -n 2 python -m mpi4py program.py``.

    >>> from pullback import distributed
    >>> group = distributed.MPIGroup(timeout=10.0)  # doctest: +SKIP
    """

    def __init__(self, comm: Any = None, timeout: float = 300.0) -> None:
        self._comm = _mpi().COMM_WORLD if comm is None else comm
        self._timeout = timeout
        self._outgoing: list[tuple[Any, Any]] = []  # requests, and memory that they read
        self.rank = self._comm.Get_rank()
        self.size = self._comm.Get_size()
        atexit.register(self._finish)

    def total(self, x: Any) -> Any:
        x = self._agreed("all_reduce", x)
        made = np.empty_like(x)
        self._wait("all_reduce", self._comm.Iallreduce(x, made), x, made)
        return made

    def total_at(self, x: Any, root: int) -> Any:
        self.check_rank("reduce", "root", root)
        x = self._agreed("reduce", x, root=root)
        made = np.zeros_like(x)
        self._wait("reduce", self._comm.Ireduce(x, made, root=root), x, made)
        return made if self.rank == root else np.zeros_like(x)

    def value_of(self, x: Any, root: int) -> Any:
        self.check_rank("broadcast", "root", root)
        made = self._agreed("broadcast", x, root=root).copy()
        self._wait("broadcast", self._comm.Ibcast(made, root=root), made)
        return made

    def joined(self, x: Any, axis: int) -> Any:
        axis = self.axis_of("all_gather", x, axis, False)
        x = self._agreed("all_gather", x, axis=axis)
        front = np.ascontiguousarray(np.moveaxis(x, axis, 0))
        made = np.empty((self.size * front.shape[0], *front.shape[1:]), x.dtype)
        self._wait("all_gather", self._comm.Iallgather(front, made), front, made)
        return np.ascontiguousarray(np.moveaxis(made, 0, axis))

    def part_of_total(self, x: Any, axis: int) -> Any:
        axis = self.axis_of("reduce_scatter", x, axis, True)
        x = self._agreed("reduce_scatter", x, axis=axis)
        front = np.ascontiguousarray(np.moveaxis(x, axis, 0))
        made = np.empty((front.shape[0] // self.size, *front.shape[1:]), x.dtype)
        request = self._comm.Ireduce_scatter_block(front, made)
        self._wait("reduce_scatter", request, front, made)
        return np.ascontiguousarray(np.moveaxis(made, 0, axis))

    def exchanged(self, x: Any, axis: int) -> Any:
        axis = self.axis_of("all_to_all", x, axis, True)
        x = self._agreed("all_to_all", x, axis=axis)
        front = np.ascontiguousarray(np.moveaxis(x, axis, 0))
        made = np.empty_like(front)
        self._wait("all_to_all", self._comm.Ialltoall(front, made), front, made)
        return np.ascontiguousarray(np.moveaxis(made, 0, axis))

    def sent(self, x: Any, dest: int, tag: int) -> Any:
        self.check_rank("send", "dest", dest)
        x = self._carried("send", x).copy()
        self._outgoing = [(request, held) for request, held in self._outgoing if not request.Test()]
        head = self._comm.isend((x.shape, x.dtype.str), dest, tag)
        self._outgoing += [(head, None), (self._comm.Isend(x, dest, tag), x)]
        return np.zeros_like(x)

    def received(self, like: Any, source: int, tag: int) -> Any:
        self.check_rank("recv", "source", source)
        like = self._carried("recv", like)
        shape, dtype = self._wait("recv", self._comm.irecv(source=source, tag=tag))
        made = np.empty(shape, np.dtype(dtype))
        self._wait("recv", self._comm.Irecv(made, source=source, tag=tag), made)
        if (made.shape, made.dtype) != (like.shape, like.dtype):
            raise unlike(made.shape, made.dtype, like, source)
        return made

    def _finish(self) -> None:
        """Wait for what others have not received yet."""
        for request, _ in self._outgoing:
            self._wait("send", request)

    def _agreed(self, operator: str, x: Any, **arguments: int) -> Any:
        """The array, after all processes said that they are at the same call. Raises DistributedError."""
        x = self._carried(operator, x)
        here = call_text(operator, x, arguments)
        mine, everywhere = np.array([digest(here)]), np.empty(self.size, np.int64)
        self._wait(operator, self._comm.Iallgather(mine, everywhere), mine, everywhere)
        if (everywhere != mine).any():
            raise different(operator, self._comm.allgather(here))
        return x

    def _carried(self, operator: str, x: Any) -> Any:
        """The array in one piece, in the machine's byte order. Raises TypeError where MPI has no equal."""
        x = np.asarray(x)
        x = np.ascontiguousarray(x, x.dtype.newbyteorder("=")).reshape(x.shape)
        if x.dtype.kind not in "biufc" or x.dtype.itemsize < (4 if x.dtype.kind == "f" else 1):
            raise TypeError(
                f"{operator}: MPI has no equal of {x.dtype}: give it as another, x.astype(np.float32)"
            )
        return x

    def _wait(self, operator: str, request: Any, *memory: Any) -> Any:
        """The value of a request. Raises DistributedError where others don't come in time."""
        deadline = time.monotonic() + self._timeout
        for _ in range(_SPINS):
            done, given = request.test()
            if done:
                return given
        while True:
            done, given = request.test()
            if done:
                return given
            if time.monotonic() > deadline:
                _ABANDONED.append((request, memory))
                atexit.register(self._comm.Abort, 1)
                raise DistributedError(
                    f"{operator}: rank {self.rank} of {self.size} waited {self._timeout:g} s for the other "
                    "processes: one of them ended, or calls something else"
                )
            time.sleep(1e-4)


_ABANDONED: list[Any] = []  # requests that may yet write into their memory


@cache
def _mpi() -> Any:
    try:
        from mpi4py import MPI  # late: it starts MPI
    except ImportError as error:
        raise DistributedError(
            f"arrays are carried by MPI, and mpi4py can't be imported ({error}): "
            "install pullback[mpi], or mpi4py for the MPI of your system"
        ) from error
    return MPI


@cache
def of_communicator(comm: Any) -> MPIGroup:
    """The group of a communicator, or of all processes for None."""
    return MPIGroup(comm)
