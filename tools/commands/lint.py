"""``pullback lint``: a verdict for every captured value, and what is wrong, without running anything."""

from __future__ import annotations

import argparse
from pathlib import Path

from rich.console import Console

from pullback.transpile.analysis.torch.facts import Program
from pullback.transpile.diagnostics import Diagnostic
from pullback.transpile.ir import Source

from ..errors import CLEAN, FINDINGS, MISUSE, UsageError
from ..files import decode, python_files, read_bytes
from ..linter import Linted, lint_source, may_have_classes, may_have_formulas
from ..modules import find_module
from ..progress import steps
from ..render import as_json, print_text, summary
from . import Subparsers, add_command

EXAMPLE = """\
example:
  $ pullback lint examples
  clean: 6 formulas in 6 files

exit status: 0 clean, 1 findings of severity error or warning, 2 misuse
"""


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
    program = Program(find_module)
    files = formulas = classes = 0
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
                if not named and not may_have_formulas(data) and not may_have_classes(data):
                    continue
                linted, source = _lint_file(path, data, program)
                formulas += linted.formulas
                classes += linted.classes
                found += linted.findings
                sources[str(path)] = source
        except UsageError as error:
            unreadable.append(str(error))
    shown = [d for d in found if arguments.verbose or d.severity != "info"]
    _print(arguments.format, shown, sources, summary(shown, files, formulas, classes))
    if unreadable:
        _complain(unreadable)
        return MISUSE
    return FINDINGS if any(d.severity != "info" for d in found) else CLEAN


def _lint_file(path: Path, data: bytes, program: Program) -> tuple[Linted, Source]:
    source = decode(path, data)
    if isinstance(source, Diagnostic):
        return Linted(0, [source], 0), Source(str(path), data.decode("latin-1"))
    return lint_source(source, program), source


def _print(style: str, shown: list[Diagnostic], sources: dict[str, Source], last: str) -> None:
    if style == "json":
        print(as_json(shown))
        return
    console = Console(highlight=False)
    print_text(console, shown, sources)
    console.print(last, soft_wrap=True)


def _complain(messages: list[str]) -> None:
    console = Console(stderr=True, highlight=False, markup=False)
    for message in messages:
        console.print(f"pullback: {message}", soft_wrap=True)
