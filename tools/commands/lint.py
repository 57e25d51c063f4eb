"""``pullback lint``: its arguments. `linting` does it, and is imported where they say what to do."""

from __future__ import annotations

import argparse
from pathlib import Path

from . import Subparsers, add_command

EXAMPLE = """\
example:
  $ pullback lint examples
  clean: 6 formulas in 6 files
  $ pullback lint --format github --fail-on error src
  $ pullback lint --diff src && pullback lint --fix src
  $ pullback lint - --stdin-filename src/ops.py < ops.py

`# noqa: PB101` at the end of a line silences it; [tool.pullback.lint] of the nearest pyproject.toml
has select, ignore, exclude, per-file-ignores and respect-gitignore, as ruff spells them.

exit status: 0 clean, 1 findings of severity error or warning, 2 misuse
"""

FORMATS = ("text", "json", "sarif", "github", "html")


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command's arguments."""
    parser = add_command(
        subparsers,
        "lint",
        "say for every captured value what it is, and find what is wrong",
        EXAMPLE,
        run,
    )
    parser.add_argument(
        "paths",
        nargs="+",
        metavar="PATH",
        help="a file or notebook, a folder to walk, or - for standard input",
    )
    parser.add_argument(
        "--stdin-filename",
        metavar="FILE",
        help="the file whose text comes from standard input: its settings count, and imports start there",
    )
    parser.add_argument("--verbose", action="store_true", help="also print the verdict of every capture")
    output = parser.add_argument_group("output")
    output.add_argument("--format", choices=FORMATS, default="text", help="output (default: text)")
    output.add_argument(
        "-o", "--output", metavar="FILE", type=Path, help="write it here, not to the terminal"
    )
    output.add_argument("--statistics", action="store_true", help="in text, also count findings per rule")
    output.add_argument(
        "--fail-on",
        choices=("error", "warning"),
        default="warning",
        help="the least severity that makes the exit status 1 (default: warning)",
    )
    fixing = parser.add_argument_group("fixes")
    fixing.add_argument(
        "--fix",
        action="store_true",
        help="change the files, where lint then finds it clean; standard input goes to standard output",
    )
    fixing.add_argument(
        "--diff", action="store_true", help="print what --fix would change, and change nothing"
    )
    fixing.add_argument(
        "--unsafe-fixes",
        action="store_true",
        help="also refuse second derivatives with a barrier, where they can't be made right",
    )
    which = parser.add_argument_group("what counts (instead of what the configuration says)")
    which.add_argument("--select", metavar="CODES", help="codes or prefixes, for example PB1,PB203")
    which.add_argument("--ignore", metavar="CODES", help="codes or prefixes to leave out")
    which.add_argument(
        "--exclude", metavar="PATTERN", action="append", help="a file or folder to leave out of a walk"
    )
    which.add_argument("--force-exclude", action="store_true", help="leave out files that are named, too")
    which.add_argument(
        "--respect-gitignore",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="leave what git ignores out of a walk (default: as the configuration says, else yes)",
    )
    which.add_argument("--config", metavar="FILE", type=Path, help="a pyproject.toml to read")
    work = parser.add_argument_group("work")
    work.add_argument(
        "-j",
        "--jobs",
        metavar="N",
        type=_positive,
        help="processes to use (default: as many as are worth it)",
    )
    work.add_argument("--no-cache", action="store_true", help="lint unchanged files again")


def run(arguments: argparse.Namespace) -> int:
    """Lint the paths; what cannot be read is reported at the end, after all other findings."""
    from .linting import lint

    return lint(arguments)


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"a number of at least 1, not {text!r}")
    return int(text)
