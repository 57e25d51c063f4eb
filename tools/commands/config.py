"""``pullback config``: what a C++ program needs to use the package."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from pullback.engine.kernels.compiler import INCLUDE, find_compiler

from ..errors import CLEAN, UsageError
from . import Subparsers, add_command

LIBRARY = "libpullback.a"
EXAMPLE = """\
example:
  $ pullback config --includes --cmakedir
  $ pullback config --cflags
  $ cmake -B build -Dpullback_DIR=$(pullback config --cmakedir)
  $ c++ -O2 $(pullback config --cflags) program.cpp $(pullback config --libs)

exit status: 0
"""

WAYS = {
    "includes": "the folder of the headers",
    "cflags": "options of the compiler for pullback/pullback.h, the engine in a C++ program",
    "libs": "options of the linker for the same: no Python is linked",
    "library": "the file of the engine for C++ programs",
    "operator-flags": "options of the compiler for a shared library of operators, see pb.load_operator",
    "cmakedir": "the folder for pullback_DIR, where find_package(pullback) looks",
}


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command's arguments."""
    parser = add_command(
        subparsers, "config", "say what a C++ program needs to use the package", EXAMPLE, run
    )
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
    return f"-std=c++20 -I{INCLUDE}"


def _library() -> str:
    """`libpullback.a`, which the build puts beside the native engine's module."""
    for folder in dict.fromkeys((_module_folder(), Path(INCLUDE).parent)):
        if folder is not None and (folder / LIBRARY).is_file():
            return str(folder / LIBRARY)
    raise UsageError(f"there is no {LIBRARY}: the package was installed without the native engine")


def _module_folder() -> Path | None:
    found = find_spec("pullback.engine.native._native")
    return Path(found.origin).parent if found is not None and found.origin else None


def _libs() -> str:
    return " ".join([_library(), *find_compiler().libraries, "-lm", "-lpthread", "-ldl"])


_ANSWERS: dict[str, Callable[[], str]] = {
    "includes": lambda: str(INCLUDE),
    "cflags": _cflags,
    "libs": _libs,
    "library": _library,
    "operator-flags": lambda: f"{_cflags()} -DPULLBACK_OPERATOR_LIBRARY -fPIC -shared -fvisibility=hidden",
    "cmakedir": lambda: str(Path(INCLUDE).parent / "cmake"),
}
