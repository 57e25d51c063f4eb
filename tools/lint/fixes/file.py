"""Fixes a file: its encoding, its line ends and its permissions stay as they are."""

from __future__ import annotations

import difflib
import io
import tokenize
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pullback.transpile.diagnostics import Diagnostic
from pullback.transpile.ir import Source

from ...files import decode, read_bytes, write_atomically
from ...modules import find_module, mentioned
from .fixing import Fixed, Wanted, fix_source


@dataclass
class FixedFile:
    """A file, its text before, and what became of it."""

    path: Path
    before: str
    fixed: Fixed
    encode: Callable[[str], bytes]

    @property
    def changed(self) -> bool:
        """True if there is something to write."""
        return self.fixed.text != self.before

    def diff(self) -> str:
        """The change as a unified diff."""
        name = self.path.as_posix()
        lines = difflib.unified_diff(
            self.before.splitlines(keepends=True), self.fixed.text.splitlines(keepends=True), name, name
        )
        return "".join(
            line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
        )

    def data(self) -> bytes:
        """The bytes of the fixed text."""
        return self.encode(self.fixed.text)

    def write(self) -> None:
        """Write the whole file or nothing. `CommandError` where it cannot be written."""
        write_atomically(Path(self.path), self.data())


def fix_file(path: Path, wanted: Wanted, unsafe: bool, data: bytes | None = None) -> FixedFile | None:
    """The fixed text of a file, which is only read; None where it is no text, or has mixed line ends.

    `data`: the bytes to take for those of the file.
    """
    data = read_bytes(path) if data is None else data
    source = decode(path, data)
    if isinstance(source, Diagnostic):
        return None
    encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    newline = "\r\n" if b"\r\n" in data else "\n"

    def encode(text: str) -> bytes:
        return text.replace("\n", newline).encode(encoding)

    try:
        if encode(source.text) != data:
            return None
    except UnicodeEncodeError:
        return None
    fixed = fix_source(Source(str(path), source.text), find_module, wanted, unsafe, mentioned)
    return FixedFile(path, source.text, fixed, encode)
