"""Finding, reading and writing files, the way every command does it."""

from __future__ import annotations

import io
import os
import re
import tempfile
import tokenize
from collections.abc import Callable, Iterable, Iterator
from difflib import get_close_matches
from pathlib import Path

from pullback.transpile.diagnostics import Diagnostic
from pullback.transpile.ir import Source, Span

from .errors import CommandError, UsageError

# Folders that hold other people's or generated files.
SKIPPED_FOLDERS = frozenset({"__pycache__", "build", "dist", "node_modules", "site-packages", "venv"})


LeftOut = Callable[[str, str, bool], bool]  # (folder, name, if it is a folder) -> if a walk leaves it out


def python_files(paths: Iterable[str], left_out: LeftOut | None = None) -> Iterator[tuple[Path, bool]]:
    """The files to look at, in a stable order, each with whether it was named itself (not found by walking).

    Hidden folders, those of `SKIPPED_FOLDERS`, and what `left_out` says, are left out of a walk. A folder
    that cannot be entered is among the files, so that reading it says so. A path that does not exist is a
    `UsageError`.
    """
    for text in paths:
        path = Path(text)
        if path.is_dir():
            yield from ((found, False) for found in _walk(path, left_out))
        elif path.suffix == ".ipynb" and path.exists():
            only = "only `pullback lint` reads notebooks, by their names; elsewhere make a file"
            raise UsageError(f"{path}: {only}: `jupyter nbconvert --to script`")
        elif path.exists():
            yield path, True
        else:
            file, separator, name = text.rpartition("::")
            alone = f"; name the file alone: {file}" if separator and name.isidentifier() else ""
            raise UsageError(f"{path}: no such file or folder{alone}")


def _walk(folder: Path, left_out: LeftOut | None) -> Iterator[Path]:
    closed: list[Path] = []
    for here, folders, names in os.walk(folder, onerror=lambda error: closed.append(Path(error.filename))):
        folders[:] = sorted(f for f in folders if f not in SKIPPED_FOLDERS and not f.startswith("."))
        names = sorted(name for name in names if name.endswith((".py", ".pyi")))
        if left_out is not None:
            folders[:] = [f for f in folders if not left_out(here, f, True)]
            names = [name for name in names if not left_out(here, name, False)]
        yield from (Path(here, name) for name in names)
    yield from closed


def read_bytes(path: Path) -> bytes:
    """The file's bytes; a `UsageError` that names the file where it cannot be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror or error}") from error


def decode(path: Path, data: bytes) -> Source | Diagnostic:
    """The text by the file's declared encoding, or a diagnostic where it isn't text in that encoding."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        text = data.decode(encoding)
    except (SyntaxError, UnicodeDecodeError, LookupError) as error:
        line = data[: error.start].count(b"\n") + 1 if isinstance(error, UnicodeDecodeError) else 1
        reason = error.reason if isinstance(error, UnicodeDecodeError) else str(error)
        return Diagnostic(
            code="PB400",
            rule="syntax-error",
            severity="error",
            message=f"the file is not text in its declared encoding: {reason}",
            span=Span(str(path), line, 1, line, 2),
            hint="save the file as UTF-8, or declare its encoding in the first line",
        )
    return Source(str(path), io.IncrementalNewlineDecoder(None, translate=True).decode(text, final=True))


def read_source(text: str) -> Source:
    """The source in the file of this name, which a command was given; `UsageError` where it can't be had."""
    path = Path(text)
    if path.is_dir():
        raise UsageError(f"{path}: is a folder; name a file")
    if not path.exists():
        raise UsageError(f"{path}: no such file")
    source = decode(path, read_bytes(path))
    if isinstance(source, Diagnostic):
        raise UsageError(f"{source.span}: {source.message}")
    return source


def split_target(text: str) -> tuple[str, str | None]:
    """``FILE::NAME`` or ``FILE``.

    >>> split_target("examples/gelu_tanh.py::gelu_tanh")
    ('examples/gelu_tanh.py', 'gelu_tanh')
    >>> split_target("examples/gelu_tanh.py")
    ('examples/gelu_tanh.py', None)
    """
    path, separator, name = text.rpartition("::")
    if not separator:
        return text, None
    if not path or not name:
        raise UsageError(f"{text}: write FILE::NAME, for example examples/gelu_tanh.py::gelu_tanh")
    return path, name


def _defines_class(path: str, name: str) -> bool:
    """True if a file has a class of this name."""
    try:
        text = Path(path).read_bytes().decode("utf-8", "replace")
    except OSError:
        return False
    return re.search(rf"^\s*class {re.escape(name)}\b", text, re.MULTILINE) is not None


def unknown_name(path: str, name: str, known: Iterable[str]) -> UsageError:
    """The error for a NAME that isn't in FILE, with what is there."""
    names = sorted(known)
    if _defines_class(path, name):
        return UsageError(
            f"{path}: {name} is a class, not a formula: `pullback lint {path}` says what is wrong in it, "
            f"`pullback check {path}::{name}` runs it"
        )
    if not names:
        return UsageError(f"{path}: has no formula named {name}; no formula or function is defined there")
    close = get_close_matches(name, names, n=1)
    guess = f" Did you mean {close[0]}?" if close else ""
    return UsageError(f"{path}: has no formula named {name}.{guess} It defines {', '.join(names)}")


def nothing_named(path: str, functions: Iterable[str]) -> CommandError:
    """The error for a FILE without a formula of which no NAME was asked, with the functions to name."""
    names = sorted(functions)
    message = f"{path}: defines no formula, and no function under pb.compile or pb.derive_pullback"
    if not names:
        return CommandError(message)
    return CommandError(f"{message}\n  help: name a function: {', '.join(f'{path}::{n}' for n in names)}")


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write the whole file or nothing: a reader never sees half, an interruption leaves the old file.

    A file that is there keeps its permissions, and a link to it stays one. What is no file, as a pipe or
    `/dev/stdout`, is written as it is. Raises `CommandError` where the folder or the file cannot be written.
    """
    data = content.encode() if isinstance(content, str) else content
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(data)
            return
        path = Path(os.path.realpath(path))
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
        _fill_and_rename(handle, Path(name), path, data)
    except OSError as error:
        raise CommandError(f"{path}: cannot be written: {error.strerror or error}") from error


def _fill_and_rename(handle: int, temporary: Path, path: Path, data: bytes) -> None:
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.chmod(path.stat().st_mode & 0o7777 if path.exists() else 0o666 & ~_umask())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
