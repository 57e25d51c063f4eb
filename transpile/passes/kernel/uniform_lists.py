"""Lists whose elements are all one value, which need not be saved iteration by iteration.

In: a promoted formula. Out: the same, where what a loop of the forward collects
of each iteration, but which no iteration changes, is read as that value, and where a list
that is collected twice is saved once. So are literals that a branch chooses, where
each side has the same, or nobody reads them but on the side that has one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ...ir import Atom, Block, Eqn, Formula, Literal, Var
from ...rewrite import Namer, defining, rename, replace_block, replace_eqn
from ..simplify.simplify import simplify
from .one_sided import literals_of_one_side


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
    values: dict[Var, Atom] = {}
    first: dict[Atom, Var] = {}
    env: dict[Var, Atom] = {}
    for var, atom in zip(formula.plain, forward.results[count:], strict=True):
        atom = same.get(atom, atom) if isinstance(atom, Var) else atom
        if isinstance(atom, Var) and atom in decided:
            constants[var] = decided[atom]
        elif isinstance(atom, Var) and atom in one_sided and one_sided[atom].is_all(var, pullback, saved):
            constants[var] = one_sided[atom].value
        elif isinstance(atom, Var) and atom in uniform:
            values[var] = uniform[atom]
        elif isinstance(atom, Var) and first.setdefault(atom, var) != var:
            env[var] = first[atom]
    if not values and not env and not constants:
        return formula
    pullback = _without_names_of(values.values(), replace_block(pullback, {**env, **constants}), formula)
    eqns, used = _read(pullback.eqns, values)
    body = simplify(Block(pullback.params, tuple(eqns), pullback.results))
    kept = [
        (var, atom)
        for var, atom in zip(formula.plain, forward.results[count:], strict=True)
        if var not in env and var not in constants and (var not in values or var in used)
    ]
    there = {*forward.params, *forward.results, *(var for var, _ in kept)}
    more = [a for a in dict.fromkeys(values.values()) if isinstance(a, Var) and a not in there]
    more = [var for var in more if var in body.free()]
    results = (*forward.results[:count], *(atom for _, atom in kept), *more)
    return formula.evolve(
        forward=Block(forward.params, forward.eqns, results),
        plain=(*(var for var, _ in kept), *more),
        pullback=body,
    )


def _without_names_of(values: Iterable[Atom], pullback: Block, formula: Formula) -> Block:
    """The pullback, in which no variable of its own has the name of a value of the forward."""
    taken = {atom.name for atom in values if isinstance(atom, Var)}
    namer = Namer.of(formula)
    return rename(pullback, {var: namer.like(var) for var in pullback.bound() if var.name in taken})


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


def _collected(block: Block) -> tuple[dict[Var, Atom], dict[Var, Atom]]:
    """Lists of one value with it, and lists that repeat another one with that."""
    uniform: dict[Var, Atom] = {}
    same: dict[Var, Atom] = {}
    for eqn in block.eqns:
        if eqn.op != "for":
            continue
        (body,) = eqn.blocks
        inside = {*body.params, *defining(body.eqns)}
        seen: dict[Atom, Var] = {}
        carried = len(body.params) - 1
        for out, atom in zip(eqn.outs[carried:], body.results[carried:], strict=True):
            if isinstance(atom, Literal) or (atom not in inside and atom.kind == "value"):
                uniform[out] = atom
            elif seen.setdefault(atom, out) != out:
                same[out] = seen[atom]
    return uniform, same


def _read(eqns: tuple[Eqn, ...], values: Mapping[Var, Atom]) -> tuple[list[Eqn], set[Var]]:
    """The equations that read elements of such lists as the value; and lists that are read otherwise."""
    env: dict[Var, Atom] = {}
    kept: list[Eqn] = []
    used: set[Var] = set()
    for original in eqns:
        eqn = replace_eqn(original, env)
        if eqn.op == "item" and isinstance(eqn.args[0], Var) and eqn.args[0] in values:
            env[eqn.outs[0]] = values[eqn.args[0]]
            continue
        used |= {var for var in eqn.reads() if var in values}
        blocks = []
        for block in eqn.blocks:
            inner, more = _read(replace_block(block, env).eqns, values)
            used |= more
            blocks.append(Block(block.params, tuple(inner), replace_block(block, env).results))
        kept.append(Eqn(eqn.outs, eqn.op, eqn.args, eqn.kwargs, tuple(blocks), eqn.span))
    return kept, used
