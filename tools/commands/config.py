"""``pullback config``: what a C++ program needs to use the package."""

from __future__ import annotations

import argparse
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path

from pullback.engine.kernels.compiler import INCLUDE

from ..errors import CLEAN
from . import Subparsers, add_command

EXAMPLE = """\
example:
  $ pullback config --cflags
  $ cmake -B build -Dpullback_DIR=$(pullback config --cmakedir)
  $ c++ $(pullback config --cflags) program.cpp $(pullback config --libs)

exit status: 0
"""

WAYS = {
    "includes": "the folder of the headers: for programs that call generated kernels",
    "cflags": "options of the compiler for pullback/pullback.h, the engine in a C++ program",
    "libs": "options of the linker for the same",
    "cmakedir": "the folder for pullback_DIR, where find_package(pullback) looks",
}


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command's arguments."""
    parser = add_command(
        subparsers, "config", "say what a C++ program needs to use the package", EXAMPLE, run
    )
    group = parser.add_mutually_exclusive_group(required=True)
    for name, help in WAYS.items():
        group.add_argument(f"--{name}", dest="what", action="store_const", const=name, help=help)


def run(arguments: argparse.Namespace) -> int:
    """Print what was asked for, on one line."""
    print(_ANSWERS[arguments.what]())
    return CLEAN


def _cflags() -> str:
    python = sysconfig.get_path("include")
    return f"-std=c++20 -I{INCLUDE} -I{python} -DPULLBACK_PYTHON='\"{sys.executable}\"'"


def _libs() -> str:
    folder = sysconfig.get_config_var("LIBDIR")
    version = sysconfig.get_config_var("LDVERSION")
    return f"-L{folder} -Wl,-rpath,{folder} -lpython{version}"


_ANSWERS: dict[str, Callable[[], str]] = {
    "includes": lambda: str(INCLUDE),
    "cflags": _cflags,
    "libs": _libs,
    "cmakedir": lambda: str(Path(INCLUDE).parent / "cmake"),
}
