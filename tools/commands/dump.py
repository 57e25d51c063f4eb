"""``pullback dump``: the intermediate representation of a formula, after any pass."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from pullback.transpile.emit.python import plain_variant
from pullback.transpile.ir import Formula
from pullback.transpile.library import Library
from pullback.transpile.passes.derive import derive
from pullback.transpile.passes.normalize import normalize
from pullback.transpile.passes.promote import promote
from pullback.transpile.printer import formula_text
from pullback.transpile.verify import verify

from ..formulas import read_formula
from . import Subparsers, add_command

EXAMPLE = """\
example:
  $ pullback dump examples/softplus.py::softplus --after read
  $ pullback dump examples/softplus.py::softplus --after promote
"""


def _first_backward(formula: Formula, library: Library) -> Formula:
    """With the variant of the pullback that a plain first backward runs: no hidden gradient is defined."""
    promoted = verify(promote(formula, library))
    return promoted.evolve(pullback=plain_variant(promoted).block)


PASSES: dict[str, Callable[[Formula, Library], Formula]] = {
    "read": lambda formula, library: verify(formula),
    "derive": lambda formula, library: verify(derive(formula, library)),
    "normalize": lambda formula, library: verify(normalize(derive(formula, library))),
    "promote": lambda formula, library: verify(promote(formula, library)),
    "specialize": _first_backward,
}


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command's arguments."""
    parser = add_command(
        subparsers, "dump", "print the intermediate representation of a formula", EXAMPLE, run
    )
    parser.add_argument("target", metavar="FILE::NAME", help="the formula")
    parser.add_argument(
        "--after",
        choices=tuple(PASSES),
        default="promote",
        metavar="PASS",
        help=f"the pass after which to print: {', '.join(PASSES)} (default: promote)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Print the formula after the pass."""
    formula, file = read_formula(arguments.target)
    print(formula_text(PASSES[arguments.after](formula, file.library)))
    return 0
