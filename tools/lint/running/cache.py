"""The cache of findings in files that have not changed since: one small file per linted file.

The key is the file's path and content, the version of Python, and the linter's own files. What is stored is
everything found, before codes are selected and comments silence, so settings may change freely. An entry is
written beside its place and moved there: another process finds all of it or nothing.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pullback.transpile
from pullback.transpile.diagnostics import Diagnostic
from pullback.transpile.ir import Span
from pullback.transpile.places import cache_folder
from pullback.transpile.version import __version__

from ..fixes.edits import Edit, Repair
from ..linter import Linted, Subject
from .dependencies import Modules, Need


class Outcome(NamedTuple):
    """The findings in one file, the other files that they depend on, and the fixes, where asked for."""

    linted: Linted
    needs: tuple[Need, ...]
    repairs: tuple[Repair, ...] = ()


def folder() -> Path:
    """The folder of the entries: beside the compiled kernels."""
    return cache_folder() / "lint"


def key_of(path: str, data: bytes, repairs: bool) -> str:
    """The key of a file with this content, with or without its fixes."""
    head = json.dumps([path, _linter(), repairs]).encode("utf-8", "surrogateescape")
    return hashlib.sha256(head + b"\0" + data).hexdigest()


def load(key: str, modules: Modules) -> Outcome | None:
    """The entry of a key; None where there is none, it is damaged, or a file that it depends on changed."""
    try:
        entry = json.loads(_place(key).read_bytes())
        if not isinstance(entry, dict):
            return None
        found = _decoded(entry)
    except (OSError, ValueError, TypeError, KeyError):
        return None
    fresh = all(modules.need(need.name, need.asker) == need for need in found.needs)
    return found if fresh else None


def store(key: str, outcome: Outcome) -> None:
    """Keep an outcome. Where nothing can be written there is no cache, and nothing else changes."""
    place = _place(key)
    text = json.dumps(_encoded(outcome), separators=(",", ":"))
    with contextlib.suppress(OSError, UnicodeEncodeError):
        place.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=".making-", dir=place.parent)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as stream:
                stream.write(text)
            os.replace(name, place)
        except BaseException:
            os.unlink(name)
            raise


def clear() -> int:
    """Remove all entries; how many there were."""
    removed = size()[0]
    shutil.rmtree(folder(), ignore_errors=True)
    return removed


def size() -> tuple[int, int]:
    """The number of entries, and their bytes."""
    files = list(folder().glob("*/*.json"))
    return len(files), sum(file.stat().st_size for file in files)


def _place(key: str) -> Path:
    return folder() / key[:2] / f"{key[2:]}.json"


@cache
def _linter() -> str:
    """The versions, and the size and time of each of the linter's files."""
    here, there = Path(__file__).parents[2], Path(pullback.transpile.__file__).parent
    stats = [(str(file), file.stat()) for top in (here, there) for file in sorted(top.rglob("*.py"))]
    listed = [(name, stat.st_size, stat.st_mtime_ns) for name, stat in stats]
    return f"{__version__} {sys.version} {hashlib.sha256(repr(listed).encode()).hexdigest()}"


def _encoded(outcome: Outcome) -> dict[str, Any]:
    linted = outcome.linted
    return {
        "formulas": linted.formulas,
        "classes": linted.classes,
        "findings": [
            [d.code, d.rule, d.severity, d.message, _places(d.span), d.name, d.value, d.hint]
            for d in linted.findings
        ],
        "subjects": [[s.kind, s.name, _places(s.span)] for s in linted.subjects],
        "needs": [list(need) for need in outcome.needs],
        "repairs": [list(repair) for repair in outcome.repairs],
    }


def _places(span: Span) -> list[Any]:
    return [span.path, span.line, span.column, span.end_line, span.end_column]


def _decoded(entry: dict[str, Any]) -> Outcome:
    findings = [
        Diagnostic(code, rule, severity, message, Span(*span), name, value, hint)
        for code, rule, severity, message, span, name, value, hint in entry["findings"]
    ]
    subjects = tuple(Subject(kind, name, Span(*span)) for kind, name, span in entry["subjects"])
    needs = tuple(Need(*need) for need in entry["needs"])
    repairs = tuple(
        Repair(number, what, tuple(Edit(*edit) for edit in edits)) for number, what, edits in entry["repairs"]
    )
    return Outcome(Linted(entry["formulas"], findings, entry["classes"], subjects), needs, repairs)
