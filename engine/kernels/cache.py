"""A disk cache of shared libraries, under a key of everything that went into them.

An entry is one file, which ends with the digest of what is before, so that a
damaged one is seen. It is written beside its place and moved there, so that
another process finds all of it or nothing. Beyond `MOST_BYTES` the entries that
were not used for longest go.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from pullback.transpile.places import cache_folder

_MARK = b"pullback-kernel\0"
MOST_BYTES = 1 << 30
_ROOM = 0.75  # of these bytes may stay where some entries have to go
_DAY = 24 * 60 * 60.0
_TAIL = len(_MARK) + hashlib.sha256().digest_size


def folder() -> Path:
    """The folder of compiled kernels."""
    return cache_folder() / "kernels"


def entry(key: str, make: Callable[[Path], None], suffix: str = ".so") -> Path:
    """The file of a key; `make(path)` writes it where it is missing or damaged."""
    with making(key, suffix) as target:
        if target is not None:
            make(target)
    return place(key, suffix)


@contextlib.contextmanager
def making(key: str, suffix: str = ".so") -> Iterator[Path | None]:
    """The path to which the block writes the file of a key, or None where the file is there and whole.

    Two processes may make the same entry at once: each makes its own, the last
    one stays, and both are whole.
    """
    if found(key, suffix) is not None:
        yield None
        return
    folder().mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder(), prefix=".making-") as work:
        made = Path(work) / f"kernel{suffix}"
        yield made
        store(key, made.read_bytes(), suffix)


def found(key: str, suffix: str) -> memoryview | None:
    """The cached bytes of a key; None where they are missing or damaged."""
    try:
        with open(place(key, suffix), "rb", buffering=0) as file:
            content = file.readall()
            changed = os.fstat(file.fileno()).st_mtime
    except OSError:
        return None
    body, tail = memoryview(content)[:-_TAIL], content[-_TAIL:]
    if tail != _MARK + hashlib.sha256(body).digest():
        return None
    if time.time() - changed > _DAY:  # the day on which an entry was used last is its time of change
        with contextlib.suppress(OSError):
            os.utime(place(key, suffix))
    return body


def store(key: str, content: bytes, suffix: str) -> None:
    """Keep something under a key."""
    target = place(key, suffix)
    target.parent.mkdir(parents=True, exist_ok=True)
    beside = target.with_name(f".making-{os.getpid()}-{threading.get_ident()}-{target.name}")
    try:
        beside.write_bytes(content + _MARK + hashlib.sha256(content).digest())
        os.replace(beside, target)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    if key.startswith("00"):  # one in 256 looks at the whole folder: of a full one that takes half a second
        make_room()


def remembered(said: str, find: Callable[[], str | None], suffix: str) -> str | None:
    """A text that `find` gives for what is said, from the disk where it was found before."""
    key = hashlib.sha256(said.encode()).hexdigest()[:32]
    known = found(key, suffix)
    if known is not None:
        return str(known, "utf-8")
    text = find()
    if text is not None:
        store(key, text.encode(), suffix)
    return text


def place(key: str, suffix: str = ".so") -> Path:
    """The path of a key's file, or None where there is no such file."""
    return folder() / f"{key}{suffix}"


def make_room(most: int = MOST_BYTES) -> int:
    """Remove the entries that were not used for longest where there are more than `most` bytes; how many.

    A library that a process has loaded stays with it.
    """
    entries = []
    for file in folder().glob("[!.]*.*"):
        with contextlib.suppress(OSError):  # another process may be doing the same
            status = file.stat()
            entries.append((status.st_mtime, status.st_size, file))
    left = sum(size for _, size, _ in entries)
    if left <= most:
        return 0
    removed = 0
    for _, size, file in sorted(entries, key=lambda entry: entry[0]):
        if left <= most * _ROOM:
            break
        with contextlib.suppress(OSError):
            file.unlink()
            removed += 1
        left -= size
    return removed


def clear() -> int:
    """Remove all entries; how many there were."""
    place = folder()
    count = len(list(place.glob("*.so"))) if place.is_dir() else 0
    shutil.rmtree(place, ignore_errors=True)
    return count


def size() -> tuple[int, int]:
    """The number of entries, and their bytes."""
    files = list(folder().glob("*.so")) if folder().is_dir() else []
    return len(files), sum(file.stat().st_size for file in files)
