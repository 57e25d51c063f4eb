"""``pullback cache``: the caches of compiled formulas and findings, their sizes, and their removal."""

from __future__ import annotations

import argparse

from rich.console import Console

from pullback.engine.kernels import cache

from ..errors import CLEAN, CommandError
from ..lint.running import cache as findings
from ..render import count
from . import Subparsers, add_command

EXAMPLE = """\
example:
  $ pullback cache
  $ pullback cache --clear

The environment variable PULLBACK_CACHE names another folder.
"""


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command's arguments."""
    parser = add_command(
        subparsers, "cache", "show or clear the caches of compiled formulas and of lint", EXAMPLE, run
    )
    parser.add_argument("--clear", action="store_true", help="remove everything in it")


def run(arguments: argparse.Namespace) -> int:
    """Print what is in the cache, or remove it."""
    console = Console(highlight=False, markup=False)
    if arguments.clear:
        for store, what in ((cache, "compiled kernel"), (findings, "linted file")):
            removed = store.clear()
            if store.folder().exists():
                raise CommandError(f"{store.folder()}: could not be removed")
            console.print(f"{store.folder()}: removed {count(removed, what)}", soft_wrap=True)
    else:
        console.print(described(), soft_wrap=True)
        entries, size = findings.size()
        console.print(
            f"{findings.folder()}: {count(entries, 'linted file')}, {size / 1e6:.1f} MB", soft_wrap=True
        )
    return CLEAN


def described() -> str:
    """The cache of compiled formulas in one line."""
    entries, size = cache.size()
    return f"{cache.folder()}: {count(entries, 'compiled kernel')}, {size / 1e6:.1f} MB"
