"""``pullback doctor``: what this machine has: compiler, flags, engines, caches."""

from __future__ import annotations

import argparse
import platform
import tempfile
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from rich.table import Table

import pullback
from pullback.engine.core import dispatch
from pullback.engine.core.errors import CompilerError, EngineUnavailableError
from pullback.engine.kernels import cache
from pullback.engine.kernels.compiler import find_compiler
from pullback.transpile.emit.cpp import ABI
from pullback.transpile.library import standard_library
from pullback.transpile.version import __version__

from ..errors import CLEAN, FINDINGS, CommandError
from ..render import table_console
from . import Subparsers, add_command
from .cache import described

EXAMPLE = """\
example:
  $ pullback doctor
  $ pullback doctor --operators   which operators run by a kernel, which by their formula

exit status: 0 everything works, 1 something is missing (and the line says what to do)
"""

PROBE = "#include <pullback/kernel.h>\n"
PACKAGES = ("numpy", "scipy", "astor", "rich", "torch")


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command's arguments."""
    parser = add_command(
        subparsers, "doctor", "say what this machine has: compiler, flags, engines, caches", EXAMPLE, run
    )
    parser.add_argument(
        "--operators",
        action="store_true",
        help="list how each operator of the library runs on the native engine",
    )


def run(arguments: argparse.Namespace) -> int:
    """Print a line per part; the exit status says whether one is missing."""
    if arguments.operators:
        return _operators()
    table = Table(show_header=False, box=None)
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    missing: list[str] = []

    def line(name: str, text: str) -> None:
        table.add_row(name, text)

    def try_line(name: str, describe: Callable[[], str]) -> None:
        try:
            line(name, describe())
        except (CompilerError, EngineUnavailableError) as error:
            missing.append(name)
            table.add_row(name, f"missing: {error}", style="red")

    line("pullback", f"{__version__}, {Path(pullback.__file__).parent}")
    line("python", f"{platform.python_version()}, {platform.platform()}")
    line("packages", ", ".join(filter(None, map(_package, PACKAGES))))
    line("formulas", str(len(standard_library().names())))
    for engine in dispatch.NAMES:
        try_line(f"{engine} engine", lambda engine=engine: _engine(engine))  # type: ignore[misc]
    if "native engine" not in missing:
        from pullback.engine.native._native import blas_library
        from pullback.engine.native.levels import chosen

        line("library kernels", f"for {chosen() or platform.machine()}")
        line("matrix products", blas_library() or "by NumPy: no OpenBLAS or MKL with 64-bit sizes was found")
    try_line("compiler", lambda: find_compiler().version)
    if "compiler" not in missing:
        try_line("flags", lambda: " ".join(find_compiler().flags))
        try_line("compiles", _compiles)
    line("kernel ABI", str(ABI))
    line("cache", described(cache, "compiled kernel"))
    table_console().print(table)
    return FINDINGS if missing else CLEAN


def _operators() -> int:
    """Print how each operator of the library runs on the native engine."""
    try:
        dispatch.load("native")
    except EngineUnavailableError as error:
        raise CommandError(str(error)) from error
    from .operator_table import Row, counts, rows

    table = Table(box=None)
    for heading in Row._fields:
        table.add_column(heading if heading != "why" else "", overflow="fold")
    found = list(rows())
    for row in found:
        table.add_row(*row)
    console = table_console()
    console.print(table)
    console.print(counts(found))
    return CLEAN


def _package(name: str) -> str:
    try:
        return f"{name} {version(name)}"
    except PackageNotFoundError:
        return ""


def _engine(name: str) -> str:
    module = dispatch.load(name)
    default = " (default)" if dispatch.current() is module else ""
    return f"{getattr(module, '__file__', name)}{default}"


def _compiles() -> str:
    """Compile an empty kernel file. Raises CompilerError with what the compiler said."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "probe.cpp")
        source.write_text(PROBE)
        find_compiler().run(source, Path(folder, "probe.so"))
    return "yes"
