"""``pullback config``: what C++ needs to use the package."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from pullback.engine.kernels.compiler import INCLUDE

from ..errors import CLEAN, UsageError
from . import Subparsers, add_command

EXAMPLE = """\
example:
  $ pullback config --includes --cmakedir
  $ cmake -B build -Dpullback_DIR=$(pullback config --cmakedir)
  $ c++ -O2 $(pullback config --cflags) program.cpp kernels.cpp
  $ c++ -O2 $(pullback config --operator-flags) operators.cpp -o liboperators.so

exit status: 0
"""

WAYS = {
    "includes": "the folder of the headers",
    "cflags": "options of the compiler for generated kernels, and programs that call them",
    "operator-flags": "options of the compiler for a shared library of operators, see pb.load_operator",
    "operator-includes": "the folder of the header of operators, which the build writes",
    "cmakedir": "the folder for pullback_DIR, where find_package(pullback) looks",
}


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command's arguments."""
    parser = add_command(subparsers, "config", "say what C++ needs to use the package", EXAMPLE, run)
    for name, help in WAYS.items():
        parser.add_argument(f"--{name}", dest="what", action="append_const", const=name, help=help)


def run(arguments: argparse.Namespace) -> int:
    """Print what was asked for, a line each."""
    if not arguments.what:
        raise UsageError(f"say what to print: {', '.join(f'--{name}' for name in WAYS)}")
    answers = [_ANSWERS[what]() for what in arguments.what]
    print(*answers, sep="\n")
    return CLEAN


def _cflags() -> str:
    return f"-std=c++20 -ffp-contract=off -I{INCLUDE}"


def _operator_includes() -> str:
    """Beside the native module where the package runs from a source tree, else among the headers."""
    module = find_spec("pullback.engine.native._native")
    native = [Path(module.origin).parent] if module is not None and module.origin else []
    for folder in (*(folder / "include" for folder in native), Path(INCLUDE)):
        if (folder / "pullback" / "operators.h").is_file():
            return str(folder)
    raise UsageError("there is no operators.h: the package was installed without the native engine")


def _operator_flags() -> str:
    folders = dict.fromkeys((str(INCLUDE), _operator_includes()))
    return " ".join(["-std=c++20 -fPIC -shared -fvisibility=hidden", *(f"-I{folder}" for folder in folders)])


_ANSWERS: dict[str, Callable[[], str]] = {
    "includes": lambda: str(INCLUDE),
    "cflags": _cflags,
    "operator-flags": _operator_flags,
    "operator-includes": _operator_includes,
    "cmakedir": lambda: str(Path(INCLUDE).parent / "cmake"),
}
