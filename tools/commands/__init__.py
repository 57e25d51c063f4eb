"""The commands, a file each: `add_parser` says what it takes, `run` does it and returns the exit status."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any, Protocol

TARGET = "a formula, or a plain function without a closure; a file with one formula needs no NAME"


class Subparsers(Protocol):
    """The object to which a command adds its parser, as `ArgumentParser.add_subparsers` returns it."""

    def add_parser(self, name: str, **options: Any) -> argparse.ArgumentParser: ...


def add_command(
    subparsers: Subparsers,
    name: str,
    summary: str,
    example: str,
    run: Callable[[argparse.Namespace], int],
) -> argparse.ArgumentParser:
    """A parser for one command, whose ``--help`` ends with an example."""
    parser = subparsers.add_parser(
        name,
        help=summary,
        description=summary[0].upper() + summary[1:] + ".",
        epilog=example,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run, misused=parser.error)
    return parser
