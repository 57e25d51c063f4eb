"""``pullback derive``: the closures that follow from functions' forwards, as Python to read or to keep."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..derived_file import derived_file
from ..errors import UsageError
from ..files import write_atomically
from ..formulas import read_formulas
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
        "print functions with the closures that follow from their forwards, as Python",
        EXAMPLE,
        run,
    )
    parser.add_argument("target", metavar="FILE[::NAME]", help=TARGET)
    parser.add_argument("-o", "--output", metavar="OUT", help="the formula file to write; default: print")
    parser.add_argument("--force", action="store_true", help="overwrite a file that is there")


def run(arguments: argparse.Namespace) -> int:
    """Print or write the derived formulas; closures that are written already are left aside."""
    text = derived_file(*read_formulas(arguments.target))
    if arguments.output in (None, "-"):
        print(text, end="")
        return 0
    path = Path(arguments.output)
    if path.exists() and not arguments.force:
        raise UsageError(f"{path} is there already: give another name, or --force")
    write_atomically(path, text)
    return 0
