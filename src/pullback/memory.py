"""The memory of the native engine's values: how much is in use, and how much may be.

>>> import pullback as pb
>>> pb.memory.stats().limit is None
True
"""

from .engine.memory import MemoryStats, empty_cache, reset_peak, set_limit, stats

__all__ = ["MemoryStats", "empty_cache", "reset_peak", "set_limit", "stats"]
