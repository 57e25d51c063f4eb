"""The pullback of a promoted formula by cotangents.

A pullback is linear: the gradient is the sum of what each cotangent contributes, and an undefined one
contributes nothing, whatever it would be multiplied with. One that is not seen to be linear has one part
for a plain first backward and one for all cotangents, and zeros in the place of undefined ones. One sweep
of all cotangents is one part, in which what comes of a hidden output is added where the sweep reaches it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from typing import NamedTuple

from ...analysis.linearity import Form, forms
from ...ir import Block, Eqn, Formula, Var
from ...passes.variants.specialize import specialize

# Up to so many hidden outputs have parts of their own; more are taken together.
_MOST_HIDDEN = 4


class Part(NamedTuple):
    """The contribution of some cotangents.

    zeros   those of them that are taken as zeros where they are undefined
    absent  others, which the block reads and which are zeros here
    """

    block: Block
    cotangents: tuple[int, ...]
    zeros: tuple[int, ...]
    absent: tuple[int, ...]


class Parts(NamedTuple):
    """The parts of a pullback.

    every   a part for each cotangent, whose contributions are added
    joint   the part of all results together, where there are several
    whole   in the place of both: the one part of one sweep; of a pullback that is not linear the plain part
            and the general one
    """

    every: tuple[Part, ...] = ()
    joint: Part | None = None
    whole: tuple[Part, ...] = ()

    def all(self) -> Iterator[Part]:
        """All of them."""
        yield from self.every
        if self.joint is not None:
            yield self.joint
        yield from self.whole

    def blocks(self) -> Iterator[Block]:
        """Their blocks."""
        for part in self.all():
            yield part.block


def parts_of(formula: Formula) -> Parts:
    """The parts of a promoted formula's pullback."""
    results = [k for k in range(formula.results) if k not in formula.options.nondifferentiable]
    hidden = range(formula.results, formula.results + len(formula.hidden))
    if not _is_linear(formula):
        made = [_part(formula, results, results)]
        if hidden:
            every = [*results, *hidden]
            made.append(_part(formula, every, every))
        return Parts(whole=tuple(made))
    if hidden and (swept := _swept(formula, [*results, *hidden])) is not None:
        return Parts(whole=(swept,))
    single = [_part(formula, [k], []) for k in results]
    if len(hidden) > _MOST_HIDDEN:
        single.append(_part(formula, hidden, hidden))
    else:
        single += [_part(formula, [k], []) for k in hidden]
    joint = _part(formula, results, []) if len(results) > 1 else None
    return Parts(tuple(part for part in single if _contributes(part)), joint)


def parts_of_results(formula: Formula) -> list[Part]:
    """The part of each result; one of all of them, where the pullback is not linear or reads several."""
    results = [k for k in range(formula.results) if k not in formula.options.nondifferentiable]
    every = [_part(formula, [k], []) for k in results]
    if not _is_linear(formula) or any(part.absent for part in every):
        return [_part(formula, results, results)]
    return [part for part in every if _contributes(part)]


def _swept(formula: Formula, cotangents: Sequence[int]) -> Part | None:
    """The part of all cotangents, where those of hidden outputs are only added to what a sweep finds."""
    results = [k for k in cotangents if k < formula.results]
    part = _part(formula, cotangents, results)
    hidden = set(formula.cotangents[formula.results :])
    added = [eqn for eqn in part.block.eqns if eqn.op == "accumulate" and hidden.intersection(eqn.args)]
    read = [var for eqn in part.block.every() for var in eqn.reads() if var in hidden]
    single = all(len(hidden.intersection(eqn.args)) == 1 for eqn in added)
    if part.absent or not single or len(read) > len(added) or len(set(read)) < len(hidden):
        return None
    eqns = tuple(_optional(eqn, hidden) if eqn in added else eqn for eqn in part.block.eqns)
    return part._replace(block=replace(part.block, eqns=eqns))


def _optional(eqn: Eqn, hidden: Set[Var]) -> Eqn:
    """The sum with a cotangent that may be undefined."""
    cotangent, found = sorted(eqn.args, key=lambda atom: atom not in hidden)
    return replace(eqn, op="added", args=(found, cotangent))


def _part(formula: Formula, cotangents: Sequence[int], zeros: Sequence[int]) -> Part:
    defined = [k in cotangents for k in range(len(formula.cotangents))]
    variant = specialize(formula, defined, [True] * len(formula.inputs))
    return Part(variant.block, tuple(cotangents), tuple(zeros), variant.materialize)


def _contributes(part: Part) -> bool:
    return any(isinstance(atom, Var) for atom in part.block.results)


def _is_linear(formula: Formula) -> bool:
    assert formula.pullback is not None
    found = forms(formula)
    atoms = [atom for atom in formula.pullback.results if isinstance(atom, Var)]
    return all(found.get(atom, Form.CONSTANT) in (Form.LINEAR, Form.ZERO) for atom in atoms)
