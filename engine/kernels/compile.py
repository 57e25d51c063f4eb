"""Generated C++ to a shared library, from the cache where it was compiled before."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import NamedTuple

from ...transpile.emit.cpp import ABI
from . import cache as disk
from .compiler import INCLUDE, find_compiler, identity
from .patience import saying

RUNTIME = INCLUDE.parent / "kernel_runtime.cpp"
_RUNTIME_ENDING = ".runtime"


def compile_text(text: str, *what: str) -> Path:
    """The shared library of a generated C++ text, or the part of it that macros of kernel/context.h say.

    What all kernels share is compiled once, to a library beside them. The key of the
    cache is the text, the headers that it includes, the compiler and its flags,
    the processor's features and the kernel ABI. Raises CompilerError where there
    is no compiler or it refuses.
    """
    return compile_cached(Asked(text, lambda: text, what))


class Asked(NamedTuple):
    """A library that is asked for: of what, by macros, of a text that is only made where it is missing.

    `key` tells the text from any other.
    """

    key: str
    text: Callable[[], str]
    what: Sequence[str]


def compile_cached(asked: Asked, others: Iterable[Asked] = ()) -> Path:
    """The library that is asked for. Where it is missing, `others` that are too are compiled beside it."""
    runtime = runtime_library()  # which the loader needs too
    key = key_of(asked.key, *asked.what)
    if disk.found(key, ".so") is None:
        with (
            saying("compiling C++, which later calls and processes find in the cache"),
            ExitStack() as under_way,
        ):
            for one in (*others, asked):
                under_way.enter_context(_compiling(one, runtime))
    return disk.place(key)


@contextmanager
def _compiling(asked: Asked, runtime: Path) -> Iterator[None]:
    """Have the compiler at work on what is missing while a block runs, and done at its end."""
    with disk.making(key_of(asked.key, *asked.what)) as target:
        if target is None:
            yield
            return
        source = target.with_suffix(".cpp")
        source.write_text(asked.text(), encoding="utf-8")
        with find_compiler().compiling_kernels(source, target, asked.what, runtime):
            yield


def key_of(*parts: str) -> str:
    """A key of texts, and of all that decides what kernels are made of them on this machine."""
    return hashlib.sha256(
        "\0".join([*parts, _machine(os.environ.get("CXX", ""), os.environ.get("PATH", ""))]).encode()
    ).hexdigest()[:32]


def runtime_library() -> Path:
    """The library of what all kernels share."""
    key = key_of("runtime")

    def make(target: Path) -> None:
        with saying("compiling what all kernels share, which later processes find in the cache"):
            find_compiler().compile_runtime(RUNTIME, target, f"{key}{_RUNTIME_ENDING}")

    return disk.entry(key, make, _RUNTIME_ENDING)


@cache
def _machine(named: str, path: str) -> str:
    return "\0".join([_headers(), identity(), f"ABI {ABI}", named, path])


@cache
def _headers() -> str:
    """A digest of the texts that kernels include, which are read where one has another size or time."""
    inside = os.walk(os.path.join(INCLUDE, "pullback"))
    paths = sorted(os.path.join(folder, name) for folder, _, names in inside for name in names)
    paths.append(os.fspath(RUNTIME))

    def read() -> str:
        digest = hashlib.sha256()
        for path in paths:
            with open(path, "rb", buffering=0) as file:
                digest.update(file.read())
        return digest.hexdigest()

    states = [(path, os.stat(path)) for path in paths]
    said = "\n".join(f"{path} {state.st_size} {state.st_mtime_ns}" for path, state in states)
    return str(disk.remembered(said, read, ".headers"))
