"""The kernel of a forward: its block in operators that the emitter has, and what is known of its values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...ir import Atom, Block, Formula, Var
from ...library import Library
from ...passes.inline import inline
from ...passes.kernel.known_absence import with_known_absence
from ...passes.kernel.lists_written_out import written_out
from ...passes.kernel.products_in_place import with_products_in_place
from ...passes.label_temporaries import label_block
from ...passes.simplify.simplify import simplify
from ...rewrite import all_names, replace_block
from ..lower.equations import PRIMITIVES, planned
from ..lower.facts import Fact
from ..lower.kernel import Guess, Input, Kernel, types_of_inputs
from .definitions import Definitions
from .likely import assumed, likely

_FEW = 5
_ALSO = ", with {} values that its derivatives read"


def forward_kernel(formula: Formula, library: Library, inputs: tuple[Input, ...], name: str) -> Kernel:
    """The kernel of this name for the formula's forward, with a guess of shapes where it checks some."""
    block = with_products_in_place(_without_stops(inlined(formula.forward, library, inputs)))
    block = labelled(block)
    kernel = Kernel(name, block, inputs, formula.span, _title(formula, block))
    if all(eqn.op != "expect_like" for eqn in block.eqns):
        return kernel
    guesses = likely(kernel)
    guess = Guess(guesses, _matched(replace(kernel, inputs=assumed(inputs, guesses)))) if guesses else None
    return replace(kernel, inputs=_matched(kernel), guess=guess)


def _title(formula: Formula, block: Block) -> str:
    """The call with its results; what it saves is named too, if it is not much."""
    tensors = [str(atom) for atom in block.results if isinstance(atom, Var) and atom.kind == "tensor"]
    saved, also = len(tensors) - formula.results, ""
    if saved > _FEW:
        tensors, also = tensors[: formula.results], _ALSO.format(saved)
    params = ", ".join(str(param.var) for param in formula.params if param.var.kind == "tensor")
    return f"{', '.join(tensors)} = {formula.name}({params}){also}"


def facts_of(kernel: Kernel, original: Block) -> dict[Var, Fact]:
    """Types and shapes of the forward's results, under the names that they have before inlining."""
    plan = planned(kernel)
    found = {var: plan.known(var) for var in kernel.block.params}
    for before, after in zip(original.results, kernel.block.results, strict=True):
        if isinstance(before, Var):
            found[before] = plan.of(after)
    return found


def shapes_of(
    formula: Formula, library: Library, inputs: tuple[Input, ...], wanted: Sequence[Var]
) -> dict[Var, Fact]:
    """The facts about variables of the forward, results or not."""
    forward = formula.forward
    block = Block(forward.params, forward.eqns, tuple(dict.fromkeys(wanted)))
    kernel = Kernel(formula.name, inlined(block, library, inputs), inputs, formula.span)
    return facts_of(kernel, block)


def inlined(block: Block, library: Library, inputs: Sequence[Input]) -> Block:
    """The block in operators that the emitter has; choices by numbers of axes are decided where known."""
    known = types_of_inputs(inputs)
    while True:
        plain = inline(block, Definitions(library), PRIMITIVES)
        without_absence = with_known_absence(plain)
        written = written_out(without_absence, known)
        if written == plain and not known:
            return plain
        block = simplify(written, known, floats=False)
        if block == without_absence:
            return block


def labelled(block: Block) -> Block:
    """The block with names for a reader of the C++."""
    return label_block(block, all_names(block))


def _without_stops(block: Block) -> Block:
    """The block whose results are values themselves where ``stop_gradient`` only names them anew."""
    taken, env = {*block.params, *block.results}, dict[Var, Atom]()
    for eqn in block.eqns:
        if eqn.op == "stop_gradient" and eqn.args[0] not in taken:
            env[eqn.outs[0]] = eqn.args[0]
            taken.add(eqn.args[0])
    kept = tuple(eqn for eqn in block.eqns if not any(out in env for out in eqn.outs))
    return replace_block(Block(block.params, kept, block.results), env)


def _matched(kernel: Kernel) -> tuple[Input, ...]:
    """The kernel's inputs, in which those that it checks to have a value's shape are said to have it."""
    likes = {eqn.args[0]: eqn.kwarg("like") for eqn in kernel.block.eqns if eqn.op == "expect_like"}
    wanted = {e.var: like for e in kernel.inputs if isinstance(like := likes.get(e.var), Var)}
    if not wanted:
        return kernel.inputs
    block = Block(kernel.block.params, kernel.block.eqns, tuple(dict.fromkeys(wanted.values())))
    facts = facts_of(replace(kernel, block=block), block)
    return tuple(
        replace(e, shape=facts[wanted[e.var]].shape) if e.var in wanted else e for e in kernel.inputs
    )
