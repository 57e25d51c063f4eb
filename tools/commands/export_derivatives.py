"""``pullback export-derivatives``: Python formulas as PyTorch's table of derivatives, or as C++ operators."""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console

from ..aten.export.folder import write_folder
from ..aten.nodes import write_nodes
from ..aten.table import Table, functions_of_aten
from ..errors import CLEAN, FINDINGS, CommandError, UsageError
from ..files import write_atomically
from ..render import count, print_text
from . import Subparsers, add_command

EXAMPLE = """\
example:
  $ pullback export-derivatives build/aten -o derivatives.yaml    what import-derivatives wrote, edited
  $ pullback export-derivatives build/aten --target aten -o cpp    the operators in C++, for one library
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
    parser.add_argument(
        "-o",
        "--output",
        metavar="PATH",
        required=True,
        help="the derivatives.yaml to write, or the folder of C++",
    )
    parser.add_argument(
        "--target",
        choices=("derivatives-yaml", "aten"),
        default="derivatives-yaml",
        help="aten: a folder of C++, the operators with these derivatives; default: %(default)s",
    )
    parser.add_argument(
        "--only", metavar="NAME", action="append", default=[], help="of C++, this operator: mul.Tensor"
    )
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
    table = _read(made.text(), natives)
    if arguments.target == "aten":
        return _write_operators(table, Path(arguments.output), arguments.only)
    write_atomically(Path(arguments.output), made.text())
    print(f"{arguments.output}: {len(made.entries)} entries")
    return CLEAN


def _read(text: str, natives: Path | None) -> Table:
    """The table as PyTorch's own loader reads it, before it is written."""
    with TemporaryDirectory(prefix="pullback-") as folder:
        path = Path(folder) / "derivatives.yaml"
        path.write_text(text, encoding="utf-8")
        try:
            return Table(path, natives)
        except UsageError as error:
            raise CommandError(str(error)) from error


def _write_operators(table: Table, folder: Path, only: list[str]) -> int:
    made = write_nodes(table, only)
    unknown = [name for name in only if name not in (*made.operators, *made.left_out)]
    if unknown:
        raise UsageError(f"the formulas have no operator {', '.join(unknown)}")
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("operators_*.cpp"):
        if old.name not in made.files:
            old.unlink()
    for name, text in made.files.items():
        write_atomically(folder / name, text)
    print(f"{folder}: {count(len(made.operators), 'operator')} in {count(len(made.files), 'file')}")
    reasons = Counter(made.left_out.values())
    for reason, times in sorted(reasons.items(), key=lambda each: (-each[1], each[0])):
        print(f"  left out {times}: {reason}")
    return CLEAN
