"""``pullback server``: the language server, over standard input and output."""

from __future__ import annotations

import argparse

from ..errors import CLEAN
from . import Subparsers, add_command

EXAMPLE = """\
example:
  $ pullback server        an editor starts it: docs/editors.md has the settings
"""


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command's arguments."""
    parser = add_command(
        subparsers, "server", "speak the language server protocol with an editor", EXAMPLE, run
    )
    parser.add_argument("--stdio", action="store_true", help="as it does; some editors give it")


def run(arguments: argparse.Namespace) -> int:
    """Serve until the editor ends it."""
    from ..server.server import make_server

    make_server().start_io()
    return CLEAN
