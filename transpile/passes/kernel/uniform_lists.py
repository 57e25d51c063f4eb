"""Lists whose elements are all one value, which need not be saved iteration by iteration.

In: a promoted formula. Out: the same, where what a loop of the forward collects
of each iteration, but which no iteration changes, is read as that value, also where it is
collected by a loop in a loop, and where a list that is collected twice is saved once. So are
literals that a branch chooses, where each side has the same, or nobody reads them but on the
side that has one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ...ir import Atom, Block, Eqn, Formula, Literal, Var
from ...rewrite import Namer, defining, replace_block, replace_eqn, without_names_of
from ..simplify.simplify import simplify
from .one_sided import literals_of_one_side


class Uniform(NamedTuple):
    """A list of one value, or of lists of it to this depth, and the saved one that it is read from."""

    value: Atom
    depth: int
    saved: Var


def without_uniform_lists(formula: Formula) -> Formula:
    """The formula without saved lists of one value, and without repeated ones."""
    pullback = formula.pullback
    if pullback is None:
        return formula
    forward = formula.forward
    uniform, same = _collected(forward)
    decided = _decided(forward, {})
    one_sided = literals_of_one_side(forward)
    count = len(forward.results) - len(formula.plain)
    saved = dict(zip(formula.plain, forward.results[count:], strict=True))
    constants: dict[Var, Literal] = {}
    values: dict[Var, Uniform] = {}
    first: dict[Atom, Var] = {}
    env: dict[Var, Atom] = {}
    for var, atom in zip(formula.plain, forward.results[count:], strict=True):
        atom = same.get(atom, atom) if isinstance(atom, Var) else atom
        if isinstance(atom, Var) and atom in decided:
            constants[var] = decided[atom]
        elif isinstance(atom, Var) and atom in one_sided and one_sided[atom].is_all(var, pullback, saved):
            constants[var] = one_sided[atom].value
        elif isinstance(atom, Var) and atom in uniform:
            values[var] = uniform[atom]._replace(saved=var)
        elif isinstance(atom, Var) and first.setdefault(atom, var) != var:
            env[var] = first[atom]
    if not values and not env and not constants:
        return formula
    named = [found.value for found in values.values()]
    pullback = without_names_of(named, replace_block(pullback, {**env, **constants}), Namer.of(formula))
    eqns, used = _read(pullback.eqns, values)
    body = simplify(Block(pullback.params, tuple(eqns), pullback.results))
    kept = [
        (var, atom)
        for var, atom in zip(formula.plain, forward.results[count:], strict=True)
        if var not in env and var not in constants and (var not in values or var in used)
    ]
    there = {*forward.params, *forward.results, *(var for var, _ in kept)}
    more = [a for a in dict.fromkeys(named) if isinstance(a, Var) and a not in there]
    more = [var for var in more if var in body.free()]
    results = (*forward.results[:count], *(atom for _, atom in kept), *more)
    return formula.evolve(
        forward=Block(forward.params, forward.eqns, results),
        plain=(*(var for var, _ in kept), *more),
        pullback=body,
    )


def _decided(block: Block, known: dict[Var, Literal]) -> dict[Var, Literal]:
    """Values that are one literal on each side of a branch."""
    for eqn in block.eqns:
        if eqn.op != "if":
            continue
        for side in eqn.blocks:
            _decided(side, known)
        for k, out in enumerate(eqn.outs):
            atoms = [side.results[k] for side in eqn.blocks]
            literals = [known.get(atom) if isinstance(atom, Var) else atom for atom in atoms]
            first = literals[0]
            if first is not None and all(repr(literal) == repr(first) for literal in literals):
                known[out] = first
    return known


def _collected(block: Block) -> tuple[dict[Var, Uniform], dict[Var, Atom]]:
    """Lists of one value, and lists that repeat another one with that."""
    uniform: dict[Var, Uniform] = {}
    same: dict[Var, Atom] = {}
    for eqn in block.eqns:
        if eqn.op != "for":
            continue
        (body,) = eqn.blocks
        inside = {*body.params, *defining(body.eqns)}
        inner, repeated = _collected(body)
        seen: dict[Atom, Var] = {}
        carried = len(body.params) - 1
        for out, atom in zip(eqn.outs[carried:], body.results[carried:], strict=True):
            atom = repeated.get(atom, atom) if isinstance(atom, Var) else atom
            nested = inner.get(atom) if isinstance(atom, Var) else None
            value, depth = (atom, 0) if nested is None else (nested.value, nested.depth)
            if isinstance(value, Literal) or (value not in inside and value.kind == "value"):
                uniform[out] = Uniform(value, depth + 1, out)
            elif seen.setdefault(atom, out) != out:
                same[out] = seen[atom]
    return uniform, same


def _read(eqns: tuple[Eqn, ...], known: Mapping[Var, Uniform]) -> tuple[list[Eqn], set[Var]]:
    """The equations that read elements of such lists as the value, and saved lists read otherwise."""
    values = dict(known)
    env: dict[Var, Atom] = {}
    kept: list[Eqn] = []
    used: set[Var] = set()
    for original in eqns:
        eqn = replace_eqn(original, env)
        of = values.get(eqn.args[0]) if eqn.op == "item" and isinstance(eqn.args[0], Var) else None
        if of is not None and of.depth == 1:
            env[eqn.outs[0]] = of.value
            continue
        if of is not None:  # an inner list, which is not needed where its elements alone are read
            values[eqn.outs[0]] = of._replace(depth=of.depth - 1)
        else:
            used |= {values[var].saved for var in eqn.reads() if var in values}
        blocks = []
        for block in eqn.blocks:
            renamed = replace_block(block, env)
            inner, more = _read(renamed.eqns, values)
            used |= more | {values[atom].saved for atom in renamed.results if atom in values}
            blocks.append(Block(block.params, tuple(inner), renamed.results))
        kept.append(Eqn(eqn.outs, eqn.op, eqn.args, eqn.kwargs, tuple(blocks), eqn.span))
    return kept, used
