"""``pullback lint``: a verdict for every captured value, and what is wrong, without running anything."""

from __future__ import annotations

import argparse
from pathlib import Path

from rich.console import Console

from pullback.transpile.diagnostics import Diagnostic
from pullback.transpile.ir import Source

from ..errors import CLEAN, FINDINGS, MISUSE, UsageError
from ..files import decode, python_files, read_bytes
from ..linter import lint_source
from ..progress import steps
from ..render import as_json, print_text, summary
from . import Subparsers, add_command

EXAMPLE = """\
example:
  $ pullback lint examples
  clean: 5 formulas in 5 files

exit status: 0 clean, 1 findings of severity error or warning, 2 misuse
"""

# A file without the first word and one of the others has no formula; it need not be parsed.
PACKAGE = b"pullback"
DECORATORS = (b"formula", b"composite")


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command's arguments."""
    parser = add_command(
        subparsers,
        "lint",
        "say for every captured value what it is, and find what is wrong",
        EXAMPLE,
        run,
    )
    parser.add_argument("paths", nargs="+", metavar="PATH", help="a file, or a folder to walk")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="output (default: text)")
    parser.add_argument("--verbose", action="store_true", help="also print the verdict of every capture")


def run(arguments: argparse.Namespace) -> int:
    """Lint the paths; what cannot be read is reported at the end, after all other findings."""
    found: list[Diagnostic] = []
    sources: dict[str, Source] = {}
    unreadable: list[str] = []
    files = formulas = 0
    with steps("lint", None) as step:
        try:
            for path, named in python_files(arguments.paths):
                step(str(path))
                files += 1
                try:
                    data = read_bytes(path)
                except UsageError as error:
                    unreadable.append(str(error))
                    continue
                if not named and not _may_have_formulas(data):
                    continue
                count, diagnostics, source = _lint_file(path, data)
                formulas += count
                found += diagnostics
                sources[str(path)] = source
        except UsageError as error:
            unreadable.append(str(error))
    shown = [d for d in found if arguments.verbose or d.severity != "info"]
    _print(arguments.format, shown, sources, files, formulas)
    if unreadable:
        _complain(unreadable)
        return MISUSE
    return FINDINGS if any(d.severity != "info" for d in found) else CLEAN


def _may_have_formulas(data: bytes) -> bool:
    return PACKAGE in data and any(word in data for word in DECORATORS)


def _lint_file(path: Path, data: bytes) -> tuple[int, list[Diagnostic], Source]:
    source = decode(path, data)
    if isinstance(source, Diagnostic):
        return 0, [source], Source(str(path), data.decode("latin-1"))
    count, diagnostics = lint_source(source)
    return count, diagnostics, source


def _print(
    style: str, shown: list[Diagnostic], sources: dict[str, Source], files: int, formulas: int
) -> None:
    if style == "json":
        print(as_json(shown))
        return
    console = Console(highlight=False)
    print_text(console, shown, sources)
    console.print(summary(shown, files, formulas), soft_wrap=True)


def _complain(messages: list[str]) -> None:
    console = Console(stderr=True, highlight=False, markup=False)
    for message in messages:
        console.print(f"pullback: {message}", soft_wrap=True)
