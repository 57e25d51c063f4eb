"""``pullback derive``: the closure that follows from a function's forward, as Python to read or to keep."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..derived_file import derived_file
from ..errors import UsageError
from ..formulas import read_formula
from . import TARGET, Subparsers, add_command

EXAMPLE = """\
example:
  $ pullback derive examples/softplus.py::softplus
  $ pullback derive examples/softplus.py::softplus -o softplus_derived.py
"""


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command's arguments."""
    parser = add_command(
        subparsers,
        "derive",
        "print a function with the closure that follows from its forward, as Python",
        EXAMPLE,
        run,
    )
    parser.add_argument("target", metavar="FILE[::NAME]", help=TARGET)
    parser.add_argument("-o", "--output", metavar="OUT", help="the formula file to write; default: print")
    parser.add_argument("--force", action="store_true", help="overwrite a file that is there")


def run(arguments: argparse.Namespace) -> int:
    """Print or write the derived formula; a closure that is written already is left aside."""
    formula, file = read_formula(arguments.target)
    text = derived_file(formula, file)
    if arguments.output in (None, "-"):
        print(text, end="")
        return 0
    path = Path(arguments.output)
    if path.exists() and not arguments.force:
        raise UsageError(f"{path} is there already: give another name, or --force")
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from error
    return 0
