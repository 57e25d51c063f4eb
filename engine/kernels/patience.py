"""A word to a person at a terminal or notebook about what takes longer than a second."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from ...transpile.cells import ipython

SECONDS = 1.0


@contextmanager
def saying(what: str) -> Iterator[None]:
    """Say on standard error what a block does, once it has done so for a second; silent where nobody sits."""
    if not (sys.stderr.isatty() or ipython() is not None):
        yield
        return
    timer = threading.Timer(SECONDS, lambda: print(f"pullback: {what} ...", file=sys.stderr, flush=True))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
