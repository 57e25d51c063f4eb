"""``pullback import-derivatives``: PyTorch's table of derivatives as Python formulas."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from ..aten.importing import MARK, Imported, import_table
from ..aten.linting import clean_formulas
from ..aten.loader import loader_of
from ..aten.table import Table
from ..errors import CLEAN, FINDINGS, UsageError
from ..files import write_atomically
from . import Subparsers, add_command

EXAMPLE = """\
example:
  $ pullback import-derivatives -o build/aten     a file of formulas per family of operators
  $ pullback import-derivatives --format json     what was read, and what became of it
  $ pullback import-derivatives torch-2.6.0-cp311-none-macosx_11_0_arm64.whl    the table of another version
"""


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command's arguments."""
    parser = add_command(
        subparsers,
        "import-derivatives",
        "write PyTorch's table of derivatives as Python formulas",
        EXAMPLE,
        run,
    )
    parser.add_argument(
        "table",
        metavar="FILE",
        nargs="?",
        help="a derivatives.yaml, or a wheel of another PyTorch; default: the table of the installed PyTorch",
    )
    parser.add_argument(
        "--native-functions",
        metavar="FILE",
        help="a native_functions.yaml with functions that the table has and the installed PyTorch has not",
    )
    parser.add_argument("-o", "--output", metavar="DIR", help="the folder to write; default: only count")
    parser.add_argument("--no-lint", action="store_true", help="write the files without linting them")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="of the counts")


def run(arguments: argparse.Namespace) -> int:
    """Import the table, write its files, and print how much of it became formulas that lint accepts."""
    made = _imported(arguments.table, arguments.native_functions)
    clean = None if arguments.no_lint else clean_formulas(made)
    if arguments.output is not None:
        _write(made, Path(arguments.output))
    counts = {
        "entries": made.entries,
        "read": made.read,
        "formulas": made.formulas,
        "emitted": made.emitted,
    }
    if clean is not None:
        counts["clean"] = clean
    if arguments.format == "json":
        print(json.dumps(counts))
    else:
        print("\n".join([*made.failures, _summary(counts)]))
    whole = made.read == made.entries and made.formulas == made.emitted == counts.get("clean", made.emitted)
    return CLEAN if whole else FINDINGS


def _imported(path: str | None, natives: str | None) -> Imported:
    try:
        with loader_of(None if path is None else Path(path)) as table:
            return import_table(Table(table, None if natives is None else Path(natives)))
    except ModuleNotFoundError as error:
        raise UsageError(f"import-derivatives needs {error.name}: pip install 'pullback[aten]'") from error


def _summary(counts: dict[str, int]) -> str:
    clean = f", {counts['clean']} of them clean" if "clean" in counts else ""
    return (
        f"{counts['read']} of {counts['entries']} entries are read; of {counts['formulas']} formulas "
        f"{counts['emitted']} are written{clean}"
    )


def _write(made: Imported, folder: Path) -> None:
    """Write the files; one that is there and was not imported is left alone, and refused."""
    for file in made.texts:
        path = folder / file
        if path.exists() and MARK not in path.read_text(encoding="utf-8", errors="replace"):
            raise UsageError(f"{path} is there already, and was not imported: give another folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"cannot write {folder}: {error.strerror}") from error
    for file, text in made.texts.items():
        write_atomically(folder / file, text)
