"""``pullback dump``: a formula's IR, with types, or its loop IR, after any pass."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from pullback.transpile.analysis.types import infer, known_types
from pullback.transpile.emit.python import plain_variant
from pullback.transpile.ir import Formula
from pullback.transpile.library import Library
from pullback.transpile.loops.kernels.formula_kernels import formula_kernels
from pullback.transpile.loops.lower.equations import PRIMITIVES
from pullback.transpile.loops.lower.schedule import program_of
from pullback.transpile.loops.passes import STAGES as KERNEL_STAGES
from pullback.transpile.loops.printer import kernel_text
from pullback.transpile.loops.schedules.cuda import scheduled
from pullback.transpile.passes.differentiate.derive import derive
from pullback.transpile.passes.differentiate.vector_products import without_vector_products
from pullback.transpile.passes.inline import inline
from pullback.transpile.passes.label_temporaries import label_temporaries
from pullback.transpile.passes.promote.for_frameworks import for_frameworks
from pullback.transpile.passes.promote.normalize import normalize
from pullback.transpile.passes.promote.promote import promote
from pullback.transpile.passes.promote.recompute import recompute_captures
from pullback.transpile.passes.promote.save_or_recompute import fused
from pullback.transpile.passes.readable.as_written import as_written
from pullback.transpile.passes.simplify.known_sides import with_known_sides
from pullback.transpile.passes.simplify.lengths_of_axes import with_lengths_of_axes
from pullback.transpile.passes.simplify.simplify import simplify
from pullback.transpile.passes.variants.primal import primal
from pullback.transpile.passes.variants.reverse import reverse
from pullback.transpile.passes.variants.transpose import transpose
from pullback.transpile.printer import formula_text
from pullback.transpile.verify import verify, verify_types

from ..formulas import read_formulas
from . import TARGET, Subparsers, add_command

EXAMPLE = """\
example:
  $ pullback dump examples/softplus.py::softplus --after read
  $ pullback dump examples/softplus.py::softplus --after promote
  $ pullback dump examples/softplus.py::softplus --after schedule
  $ pullback dump examples/softplus.py::softplus --after kernel
"""
# The pass behind the stages of kernels, for CUDA.
SCHEDULE = "schedule"


def _normalized(formula: Formula, library: Library) -> Formula:
    return normalize(derive(formula, library))


def _simplified(formula: Formula, library: Library) -> Formula:
    made = recompute_captures(_normalized(formula, library))
    assert made.pullback is not None
    return made.evolve(pullback=simplify(made.pullback, known_types(made)))


def _first_backward(formula: Formula, library: Library) -> Formula:
    """With the variant of the pullback that a plain first backward runs: no hidden gradient is defined."""
    promoted = promote(formula, library)
    return promoted.evolve(pullback=plain_variant(promoted).block)


def _inlined(formula: Formula, library: Library) -> Formula:
    """With forward and first backward as the C++ emitter gets them."""
    made = _first_backward(formula, library)
    assert made.pullback is not None
    forward, pullback = (inline(block, library, PRIMITIVES) for block in (made.forward, made.pullback))
    return made.evolve(forward=forward, pullback=pullback)


def _reversed(formula: Formula, library: Library) -> Formula:
    promoted = promote(formula, library)
    given = [k < promoted.results for k in range(promoted.results + len(promoted.hidden))]
    return reverse(promoted, given, [True] * len(promoted.inputs)).formula


def _transposed(formula: Formula, library: Library) -> Formula:
    promoted = promote(formula, library)
    return transpose(promoted, [True] * len(promoted.inputs), library).formula


PASSES: dict[str, Callable[[Formula, Library], Formula]] = {
    "read": lambda formula, library: verify(formula),
    "vector_products": lambda formula, library: verify(without_vector_products(formula, library)),
    "derive": lambda formula, library: verify(derive(formula, library)),
    "normalize": lambda formula, library: verify(_normalized(formula, library)),
    "known_sides": lambda formula, library: verify(with_known_sides(_normalized(formula, library))),
    "lengths_of_axes": lambda formula, library: verify(with_lengths_of_axes(_normalized(formula, library))),
    "recompute": lambda formula, library: verify(recompute_captures(_normalized(formula, library))),
    "simplify": lambda formula, library: verify(_simplified(formula, library)),
    "promote": lambda formula, library: verify(promote(formula, library)),
    "save_or_recompute": lambda formula, library: verify(promote(formula, library, fused)),
    "primal": lambda formula, library: verify(promote(primal(formula), library)),
    "specialize": _first_backward,
    "inline": _inlined,
    "reverse": _reversed,
    "transpose": _transposed,
    "label_temporaries": lambda formula, library: verify(label_temporaries(formula)),
    "for_frameworks": lambda formula, library: verify(for_frameworks(formula, library)),
    "as_written": lambda formula, library: verify(as_written(formula, library)),
}


def _kernels(formula: Formula, library: Library, last: str) -> str:
    """The programs from which C++ or CUDA is printed, of the forward and the plain first backward."""
    attributes = {p.var.name: p.default.value for p in formula.attributes if p.default is not None}
    found = formula_kernels(formula, library, attributes, order=1, general=False)
    made = [scheduled(kernel) if last == SCHEDULE else program_of(kernel, last) for kernel in found.kernels()]
    return "\n\n".join(map(kernel_text, made))


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command's arguments."""
    parser = add_command(
        subparsers, "dump", "print the intermediate representation of formulas", EXAMPLE, run
    )
    parser.add_argument("target", metavar="FILE[::NAME]", help=TARGET)
    parser.add_argument(
        "--after",
        choices=(*PASSES, *KERNEL_STAGES, SCHEDULE),
        default="promote",
        metavar="PASS",
        help=f"the pass after which to print: {', '.join(PASSES)}; or, for the loop IR of the forward and "
        f"the first backward, {', '.join(KERNEL_STAGES)} (for C++) or {SCHEDULE} (for CUDA) "
        "(default: promote)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Print the formulas after the pass."""
    formulas, file = read_formulas(arguments.target)
    print("\n\n".join(_dumped(formula, file.library, arguments.after) for formula in formulas))
    return 0


def _dumped(formula: Formula, library: Library, after: str) -> str:
    if after in (*KERNEL_STAGES, SCHEDULE):
        return _kernels(formula, library, after)
    made = verify_types(formula, PASSES[after](formula, library))
    types = infer(made)
    return formula_text(made, types.forward, types.pullback)
