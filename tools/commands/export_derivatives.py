"""``pullback export-derivatives``: Python formulas as PyTorch's table of derivatives."""

from __future__ import annotations

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console

from ..aten.export.folder import write_folder
from ..aten.table import Table, functions_of_aten
from ..errors import CLEAN, FINDINGS, CommandError, UsageError
from ..files import write_atomically
from ..render import count, print_text
from . import Subparsers, add_command

EXAMPLE = """\
example:
  $ pullback export-derivatives build/aten -o derivatives.yaml    what import-derivatives wrote, edited
"""


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command's arguments."""
    parser = add_command(
        subparsers,
        "export-derivatives",
        "write Python formulas as PyTorch's table of derivatives",
        EXAMPLE,
        run,
    )
    parser.add_argument(
        "folder", metavar="FOLDER", help="the files of formulas, as import-derivatives writes them"
    )
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help="the derivatives.yaml to write")
    parser.add_argument(
        "--native-functions",
        metavar="FILE",
        help="a native_functions.yaml with functions of the formulas that the installed PyTorch has not",
    )


def run(arguments: argparse.Namespace) -> int:
    """Write the table, or say at each place why a formula is no entry, and write nothing."""
    natives = None if arguments.native_functions is None else Path(arguments.native_functions)
    try:
        made = write_folder(Path(arguments.folder), functions_of_aten(natives))
    except ModuleNotFoundError as error:
        raise UsageError(f"export-derivatives needs {error.name}: pip install 'pullback[aten]'") from error
    if made.findings:
        print_text(Console(highlight=False, markup=False), made.findings, made.sources)
        places = count(len(made.findings), "place")
        print(f"{arguments.output}: not written, the table cannot say what stands in {places}")
        return FINDINGS
    if not made.entries:
        raise UsageError(f"{arguments.folder}: has no formula of an operator of ATen")
    _check(made.text(), natives)
    write_atomically(Path(arguments.output), made.text())
    print(f"{arguments.output}: {len(made.entries)} entries")
    return CLEAN


def _check(text: str, natives: Path | None) -> None:
    """Let PyTorch's own loader read the table before it is written."""
    with TemporaryDirectory(prefix="pullback-") as folder:
        path = Path(folder) / "derivatives.yaml"
        path.write_text(text, encoding="utf-8")
        try:
            Table(path, natives)
        except UsageError as error:
            raise CommandError(str(error)) from error
