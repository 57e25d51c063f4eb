"""The processes that communicate, as collective operators see them."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections import defaultdict, deque
from typing import Any

import numpy as np

from ..engine.core.errors import DistributedError


class Group(ABC):
    """Processes, each with a rank, and the transport of arrays between them.

    rank  the number of this process
    size  how many there are
    """

    rank: int
    size: int

    @abstractmethod
    def total(self, x: Any) -> Any:
        """The sum over all processes."""

    @abstractmethod
    def total_at(self, x: Any, root: int) -> Any:
        """The sum over all processes in `root`, zeros in the others."""

    @abstractmethod
    def value_of(self, x: Any, root: int) -> Any:
        """The value of `root`."""

    @abstractmethod
    def joined(self, x: Any, axis: int) -> Any:
        """The values of all processes, joined along an axis."""

    @abstractmethod
    def part_of_total(self, x: Any, axis: int) -> Any:
        """The sum over all processes, and of it the part of this one."""

    @abstractmethod
    def exchanged(self, x: Any, axis: int) -> Any:
        """The parts that all processes have for this one, joined along an axis."""

    @abstractmethod
    def sent(self, x: Any, dest: int, tag: int) -> Any:
        """Zeros, after the value was sent."""

    @abstractmethod
    def received(self, like: Any, source: int, tag: int) -> Any:
        """The array that was sent to this process."""

    def zeros(self, x: Any) -> Any:
        """Zeros of the shape and dtype of an array."""
        return np.zeros_like(x)

    def check_rank(self, operator: str, argument: str, rank: int) -> None:
        """Raise ValueError for the rank of no process."""
        if not 0 <= rank < self.size:
            raise ValueError(
                f"{operator}: {argument}={rank}, and the ranks of the group are 0 to {self.size - 1}"
            )

    def axis_of(self, operator: str, x: Any, axis: int, parts: bool) -> int:
        """The axis, counted from the front. Raises ValueError where there is none, or it can't be cut."""
        if not -x.ndim <= axis < x.ndim:
            raise ValueError(
                f"{operator}: axis={axis} of an array of shape {tuple(x.shape)}"
                + ("; give it an axis: x.reshape(1)" if x.ndim == 0 else "")
            )
        if parts and x.shape[axis] % self.size:
            raise ValueError(
                f"{operator}: {self.size} processes don't divide the length {x.shape[axis]} of axis {axis} "
                f"of an array of shape {tuple(x.shape)}"
            )
        return int(axis % x.ndim)


class Alone(Group):
    """A group of one process, for a program that runs without others.

    >>> import numpy as np
    >>> Alone().total(np.array([1.0, 2.0]))
    array([1., 2.])
    """

    rank = 0
    size = 1

    def __init__(self) -> None:
        self._messages: dict[int, deque[Any]] = defaultdict(deque)

    def total(self, x: Any) -> Any:
        return np.array(x)

    def total_at(self, x: Any, root: int) -> Any:
        self.check_rank("reduce", "root", root)
        return np.array(x)

    def value_of(self, x: Any, root: int) -> Any:
        self.check_rank("broadcast", "root", root)
        return np.array(x)

    def joined(self, x: Any, axis: int) -> Any:
        self.axis_of("all_gather", x, axis, False)
        return np.array(x)

    def part_of_total(self, x: Any, axis: int) -> Any:
        self.axis_of("reduce_scatter", x, axis, True)
        return np.array(x)

    def exchanged(self, x: Any, axis: int) -> Any:
        self.axis_of("all_to_all", x, axis, True)
        return np.array(x)

    def sent(self, x: Any, dest: int, tag: int) -> Any:
        self.check_rank("send", "dest", dest)
        self._messages[tag].append(np.array(x))
        return np.zeros_like(x)

    def received(self, like: Any, source: int, tag: int) -> Any:
        self.check_rank("recv", "source", source)
        if not self._messages[tag]:
            raise DistributedError(f"recv: nothing was sent to rank 0 with tag={tag}")
        message = self._messages[tag].popleft()
        if (message.shape, message.dtype) != (like.shape, like.dtype):
            raise unlike(message.shape, message.dtype, like, source)
        return message


def call_text(operator: str, x: Any, arguments: dict[str, int]) -> str:
    """A call as it is compared between processes, and shown."""
    given = "".join(f", {name}={value}" for name, value in arguments.items())
    return f"{operator}(<{x.dtype} of shape {tuple(x.shape)}>{given})"


def digest(call: str) -> int:
    """A number of 64 bits that calls share with no other."""
    return int.from_bytes(hashlib.blake2b(call.encode(), digest_size=8).digest(), "little", signed=True)


def different(operator: str, calls: Any) -> DistributedError:
    """The error of processes whose calls, one for each, differ."""
    lines = "".join(f"\n  rank {rank}: {call}" for rank, call in enumerate(calls))
    return DistributedError(f"{operator}: the processes call different operators:{lines}")


def unlike(shape: Any, dtype: Any, like: Any, source: int) -> DistributedError:
    """The error of a message that is not what `recv` was told to expect."""
    return DistributedError(
        f"recv: from rank {source} comes an array of shape {tuple(shape)} and dtype {dtype}, "
        f"and like is of shape {tuple(like.shape)} and dtype {like.dtype}"
    )
