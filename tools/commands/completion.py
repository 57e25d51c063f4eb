"""``pullback completion``: what a shell needs to complete commands, options and codes of rules."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from ..errors import CLEAN
from ..lint.rules import RULES
from . import Subparsers, add_command

EXAMPLE = """\
example:
  $ pullback completion bash > ~/.local/share/bash-completion/completions/pullback
  $ pullback completion zsh > ~/.zsh/completions/_pullback
"""
SHELLS = ("bash", "zsh", "tcsh")
CODES = ("CODE", "CODES")
PATHS = ("PATH", "FILE", "FILE[::NAME]", "DIR")


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command's arguments."""
    parser = add_command(
        subparsers, "completion", "print what completes commands, options and codes in a shell", EXAMPLE, run
    )
    parser.add_argument("shell", choices=SHELLS, help="the shell")


def run(arguments: argparse.Namespace) -> int:
    """Print the script for a shell."""
    import shtab

    from ..cli import available, build_parser

    parser = build_parser(available())
    codes = [rule.code for rule in RULES.values()]
    for action in _actions(parser):
        if action.type is Path or action.metavar in PATHS:
            action.complete = shtab.FILE  # type: ignore[attr-defined]
        elif action.metavar in CODES:
            action.choices = codes
    print(shtab.complete(parser, arguments.shell))
    return CLEAN


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from _actions(command)
