"""The memory of the native engine's values, and the threads that its kernels run on.

The reference engine computes with NumPy, whose memory and threads these don't
govern; where the native engine is not built, they say so.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from .core.errors import EngineUnavailableError

_native: Any
try:
    from .native import _native
except ImportError:
    _native = None


class MemoryStats(NamedTuple):
    """Bytes, and counts of blocks since the process began.

    in_use   of values, saved values, gradients and workspaces that are alive
    cached   waiting for the next values of their size
    peak     most that was in use at once since `reset_peak`
    limit    of what may be in use, or None
    taken    blocks asked for
    reused   of them, those that were waiting

    >>> import pullback as pb
    >>> stats = pb.memory.stats()
    >>> stats.peak >= stats.in_use
    True
    """

    in_use: int
    cached: int
    peak: int
    limit: int | None
    taken: int
    reused: int


def stats() -> MemoryStats:
    """The state of the native engine's allocator; all zero where that engine is not built.

    A few values (64 bytes) are part of their tensor, and what NumPy computes lies
    in NumPy's memory: neither is counted.

    >>> import pullback as pb
    >>> pb.memory.stats().limit is None
    True
    """
    if _native is None:
        return MemoryStats(0, 0, 0, None, 0, 0)
    in_use, cached, peak, limit, taken, reused = _native.memory_stats()
    return MemoryStats(in_use, cached, peak, limit or None, taken, reused)


def reset_peak() -> None:
    """Set the peak to the memory that is in use now.

    >>> import pullback as pb
    >>> pb.memory.reset_peak()
    >>> stats = pb.memory.stats()
    >>> stats.peak == stats.in_use
    True
    """
    if _native is not None:
        _native.reset_memory_peak()


def set_limit(limit: int | None) -> None:
    """Have the native engine raise MemoryError rather than use more than so many bytes; None for no limit.

    Cached blocks are given back to the system first. Raises ValueError for a
    limit that is not positive, EngineUnavailableError where the native engine is
    not built.

    >>> import pullback as pb
    >>> pb.memory.set_limit(1 << 40)
    >>> pb.memory.stats().limit == 1 << 40
    True
    >>> pb.memory.set_limit(None)
    """
    if limit is not None and limit <= 0:
        raise ValueError(f"a limit of memory must be positive, got {limit}")
    if _native is None:
        if limit is None:
            return
        raise EngineUnavailableError("a limit of memory needs the native engine, which is not built here")
    _native.set_memory_limit(limit or 0)


def empty_cache() -> int:
    """Give cached blocks of memory back to the system. Return their bytes.

    >>> import pullback as pb
    >>> pb.memory.empty_cache() >= 0, pb.memory.stats().cached
    (True, 0)
    """
    return 0 if _native is None else int(_native.empty_cache())


def get_num_threads() -> int:
    """The number of threads of a native kernel: PULLBACK_NUM_THREADS, or that of the processors.

    1 where the native engine is not built.

    Returns
    -------
    int
        At least 1.

    Examples
    --------
    >>> import pullback as pb
    >>> pb.get_num_threads() >= 1
    True
    """
    return 1 if _native is None else int(_native.get_num_threads())


def set_num_threads(count: int) -> None:
    """Have kernels of the native engine, and matrix products, use so many threads at most.

    Small work stays on one thread whatever the number.

    Parameters
    ----------
    count : int
        The number of threads, one or more.

    Raises
    ------
    ValueError
        Less than one.

    Examples
    --------
    >>> import pullback as pb
    >>> pb.set_num_threads(pb.get_num_threads())
    """
    if count < 1:
        raise ValueError(f"there must be at least one thread, got {count}")
    if _native is not None:
        _native.set_num_threads(count)
