"""The folder of what stays from one run to the next."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder() -> Path:
    """The folder of all caches: PULLBACK_CACHE, else one in the user's cache folder."""
    named = os.environ.get("PULLBACK_CACHE")
    if named:
        return Path(named)
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "pullback"
