"""``pullback completion``: what a shell needs to complete the commands and options."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from ..errors import CLEAN
from . import Subparsers, add_command

EXAMPLE = """\
example:
  $ pullback completion bash > ~/.local/share/bash-completion/completions/pullback
  $ pullback completion zsh > ~/.zsh/completions/_pullback
"""
SHELLS = ("bash", "zsh", "tcsh")
PATHS = ("PATH", "FILE", "FILE[::NAME]", "DIR")


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command's arguments."""
    parser = add_command(
        subparsers, "completion", "print what a shell needs to complete commands and options", EXAMPLE, run
    )
    parser.add_argument("shell", choices=SHELLS, help="the shell")


def run(arguments: argparse.Namespace) -> int:
    """Print the script for a shell."""
    import shtab

    from ..cli import available, build_parser

    parser = build_parser(available())
    for action in _actions(parser):
        if action.type is Path or action.metavar in PATHS:
            action.complete = shtab.FILE  # type: ignore[attr-defined]
    print(shtab.complete(parser, arguments.shell))
    return CLEAN


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from _actions(command)
