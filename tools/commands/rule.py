"""``pullback rule``: the documentation of a lint rule, or the list of all."""

from __future__ import annotations

import argparse

from rich.console import Console
from rich.markdown import Markdown
from rich.table import Table

from ..errors import CLEAN, UsageError
from ..lint.rules import RULES
from ..lint.rules.pages import page_of, severities
from . import Subparsers, add_command

EXAMPLE = """\
example:
  $ pullback rule PB103
  $ pullback rule PB101 --torch
  $ pullback rule
"""


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command's arguments."""
    parser = add_command(subparsers, "rule", "explain a lint rule, or list all of them", EXAMPLE, run)
    parser.add_argument(
        "code", nargs="?", metavar="CODE", help="for example PB103, or its name opaque-capture"
    )
    parser.add_argument(
        "--torch", action="store_true", help="begin with what it is about in a torch.autograd.Function"
    )


def run(arguments: argparse.Namespace) -> int:
    """Print the page of a rule, or a table of all rules."""
    console = Console(highlight=False)
    if arguments.code is None:
        table = Table(box=None)
        for heading in ("code", "rule", "severity"):
            table.add_column(heading)
        for rule in RULES.values():
            table.add_row(rule.code, rule.name, severities(rule.code))
        console.print(table)
        return CLEAN
    wanted = arguments.code.lower()
    found = [rule for rule in RULES.values() if wanted in (rule.code.lower(), rule.name)]
    if not found:
        raise UsageError(f"there is no rule {arguments.code}; `pullback rule` lists all")
    for rule in found:
        console.print(Markdown(page_of(rule.code, arguments.torch)))
    return CLEAN
