"""The number of processors."""

from __future__ import annotations

import os


def processors() -> int:
    """The number of them that this process may use."""
    if hasattr(os, "sched_getaffinity"):  # Linux
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
