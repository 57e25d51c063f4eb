"""``pullback explain``: what becomes of each captured value, and why; as text, as a picture, as a page."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from rich.console import Console

from ..aten.table import Table
from ..errors import CLEAN, CommandError, UsageError
from ..explain.entry import PREFIX, explained_entry, print_entry
from ..explain.facts import Facts, facts_of
from ..explain.text import print_facts
from ..files import write_atomically
from ..formulas import read_formula
from . import TARGET, Subparsers, add_command

EXAMPLE = """\
example:
  $ pullback explain examples/simple.py::simple
  $ pullback explain examples/layer_norm.py --format html -o layer_norm.html
  $ pullback explain aten::native_layer_norm    an entry of PyTorch's table of derivatives
"""


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command's arguments."""
    parser = add_command(
        subparsers,
        "explain",
        "show what becomes of each value that a closure captures: saved, promoted or computed again, and why",
        EXAMPLE,
        run,
    )
    parser.add_argument(
        "target",
        metavar="FILE[::NAME]",
        help=f"{TARGET}; aten::NAME is an operator of PyTorch's table of derivatives",
    )
    parser.add_argument(
        "--format",
        choices=("text", "svg", "html"),
        default="text",
        help="a table and the source, a drawing of forward and backward, or a page with both (default: text)",
    )
    parser.add_argument(
        "--layout",
        choices=("auto", "dot", "grandalf"),
        default="auto",
        help="who places the boxes of a drawing: auto takes Graphviz's dot where it is installed",
    )
    parser.add_argument("-o", "--output", metavar="PATH", help="write to this file instead of the terminal")


def run(arguments: argparse.Namespace) -> int:
    """Explain one formula."""
    facts, show = _explained(arguments.target)
    if arguments.output is None:
        if arguments.format == "text":
            show(Console(highlight=False))
        else:
            print(_picture(arguments, facts), end="")
    else:
        write_atomically(Path(arguments.output), _whole(arguments, facts, show))
    return CLEAN


def _explained(target: str) -> tuple[Facts, Callable[[Console], None]]:
    """The facts about a formula, and what prints them."""
    if not target.startswith(PREFIX):
        formula, file = read_formula(target)
        facts = facts_of(formula, file.library)
        return facts, lambda console: print_facts(console, facts)
    try:
        entry = explained_entry(target, Table())
    except ModuleNotFoundError as error:
        raise UsageError(f"explain {target} needs {error.name}: pip install 'pullback[aten]'") from error
    return entry.facts, lambda console: print_entry(console, entry)


def _whole(arguments: argparse.Namespace, facts: Facts, show: Callable[[Console], None]) -> str:
    if arguments.format != "text":
        return _picture(arguments, facts)
    console = Console(highlight=False, color_system=None, width=110)
    with console.capture() as captured:
        show(console)
    return captured.get()


def _picture(arguments: argparse.Namespace, facts: Facts) -> str:
    kind = arguments.format
    try:
        return _drawn(kind)(facts, arguments.layout)
    except FileNotFoundError as missing:
        raise CommandError(f"--layout dot: {missing}") from missing
    except ImportError as missing:
        raise CommandError(
            f"--format {kind} needs {missing.name or 'grandalf'}: "
            'pip install "pullback[graph]" for svg, "pullback[graph,report]" for html'
        ) from missing


def _drawn(kind: str) -> Callable[[Facts, str], str]:
    if kind == "svg":
        from ..explain.drawing import picture

        return picture
    from ..explain.page import as_html

    return as_html
