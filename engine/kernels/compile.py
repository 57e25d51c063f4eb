"""Generated C++ to a shared library, from the cache where it was compiled before."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from ...transpile.emit.native import ABI
from . import cache as disk
from .compiler import INCLUDE, find_compiler


def compile_text(text: str) -> Path:
    """The shared library of a generated C++ text.

    The key of the cache is the text, the headers that it includes, the
    compiler with its version and flags, the processor's features and the
    kernel ABI. Raises CompilerError where there is no compiler or it refuses.
    """
    compiler = find_compiler()
    parts = [text, _headers(), compiler.identity, f"ABI {ABI}"]
    key = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]

    def make(target: Path) -> None:
        source = target.with_suffix(".cpp")
        source.write_text(text, encoding="utf-8")
        compiler.run(source, target)

    return disk.entry(key, make)


@cache
def _headers() -> str:
    files = sorted((INCLUDE / "pullback").glob("kernel*.h"))
    return "\0".join(file.read_text(encoding="utf-8") for file in files)
