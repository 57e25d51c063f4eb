"""``pullback cache``: the caches of compiled formulas and findings, their sizes, and their removal."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from importlib.util import find_spec
from types import ModuleType

from rich.console import Console

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
    """Print what is in the caches, or remove it."""
    console = Console(highlight=False, markup=False)
    for store, what in _caches():
        console.print(_cleared(store, what) if arguments.clear else described(store, what), soft_wrap=True)
    return CLEAN


def described(store: ModuleType, what: str) -> str:
    """A cache in one line."""
    entries, size = store.size()
    return f"{store.folder()}: {count(entries, what)}, {size / 1e6:.1f} MB"


def _cleared(store: ModuleType, what: str) -> str:
    removed = store.clear()
    if store.folder().exists():
        raise CommandError(f"{store.folder()}: could not be removed")
    return f"{store.folder()}: removed {count(removed, what)}"


def _caches() -> Iterator[tuple[ModuleType, str]]:
    """The caches of what is installed, and what each holds."""
    if find_spec("pullback.engine") is not None:
        from pullback.engine.kernels import cache

        yield cache, "compiled kernel"
    yield findings, "linted file"
