"""Generated C++ to a shared library, from the cache where it was compiled before."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from ...transpile.emit.native import ABI
from . import cache as disk
from .compiler import INCLUDE, find_compiler, identity

RUNTIME = INCLUDE.parent / "kernel_runtime.cpp"
_RUNTIME_ENDING = ".runtime"


def compile_text(text: str, *what: str) -> Path:
    """The shared library of a generated C++ text, or the part of it that macros of kernel_context.h say.

    What all kernels share is compiled once, to a library beside them. The key of the
    cache is the text, the headers that it includes, the compiler and its flags,
    the processor's features and the kernel ABI. Raises CompilerError where there
    is no compiler or it refuses.
    """
    return compile_cached(text, lambda: text, what)


def compile_cached(key: str, text: Callable[[], str], what: Sequence[str]) -> Path:
    """The same for a text that is only made where it is not in the cache under this key."""

    runtime = _runtime()  # which the loader needs too

    def make(target: Path) -> None:
        source = target.with_suffix(".cpp")
        source.write_text(text(), encoding="utf-8")
        find_compiler().compile_kernels(source, target, what, runtime)

    return disk.entry(key_of(key, *what), make)


def key_of(*parts: str) -> str:
    """A key of texts, and of all that decides what kernels are made of them on this machine."""
    return hashlib.sha256(
        "\0".join([*parts, _machine(os.environ.get("CXX", ""), os.environ.get("PATH", ""))]).encode()
    ).hexdigest()[:32]


def _runtime() -> Path:
    """The library of what all kernels share."""
    key = key_of("runtime")

    def make(target: Path) -> None:
        find_compiler().compile_runtime(RUNTIME, target, f"{key}{_RUNTIME_ENDING}")

    return disk.entry(key, make, _RUNTIME_ENDING)


@cache
def _machine(named: str, path: str) -> str:
    return "\0".join([_headers(), identity(), f"ABI {ABI}", named, path])


@cache
def _headers() -> str:
    folder = os.path.join(INCLUDE, "pullback")
    names = sorted(name for name in os.listdir(folder) if name.startswith("kernel"))
    digest = hashlib.sha256()
    for path in (*(os.path.join(folder, name) for name in names), os.fspath(RUNTIME)):
        with open(path, "rb", buffering=0) as file:
            digest.update(file.read())
    return digest.hexdigest()
