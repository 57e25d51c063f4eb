"""A disk cache of the transpiler's results, as pickles: loading one is faster than making it again."""

from __future__ import annotations

import gc
import hashlib
import os
import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TypeVar

from ...transpile.version import __version__
from . import cache as disk

Made = TypeVar("Made")

_PACKAGE = Path(__file__).resolve().parent.parent.parent


def key_of_package(*parts: str) -> str:
    """A key of texts, and of the transpiler and the library as they are now."""
    return hashlib.sha256("\0".join([_transpiler(), *parts]).encode()).hexdigest()[:32]


def cached(key: str, make: Callable[[], Made], suffix: str = ".kernels") -> Made:
    """The result of `make`, from the disk where this key is cached."""
    content = disk.found(key, suffix)
    with without_collection():
        made: Made = make() if content is None else pickle.loads(content)
    if content is None:
        disk.store(key, pickle.dumps(made, pickle.HIGHEST_PROTOCOL), suffix)
    return made


@contextmanager
def without_collection() -> Iterator[None]:
    """The collector need not look for cycles meanwhile: there are none, and it takes milliseconds."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@cache
def _transpiler() -> str:
    """The state of the package's text: the version, and each file's size and time."""
    said = []
    folders = [
        os.path.join(_PACKAGE, *part) for part in (("transpile",), ("formulas",), ("engine", "kernels"))
    ]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.name.endswith(".py"):
                    state = entry.stat()
                    said.append(f"{entry.name} {state.st_size} {state.st_mtime_ns}")
                elif entry.is_dir():
                    folders.append(entry.path)
    return "\n".join([__version__, *sorted(said)])
