"""A variant of a pullback for the gradients that are defined and those that are needed.

In: a promoted formula's pullback, which of its cotangents are defined, which
of its gradients are needed. Out: a block over the defined cotangents, with
the questions about `None` answered and everything that multiplies an undefined
gradient gone. An undefined gradient is a zero that nobody computes: it passes
through operators that are linear in it. Where an operator is not, or where
the zero's shape would be lost, the cotangent is named in `materialize` and
stays a parameter, to be given as zeros.

>>> from ..library import formula_in, standard_library
>>> from ..printer import block_text
>>> from .promote import promote
>>> wave = promote(formula_in('''
... def wave(x):
...     s, c = np.sin(x), np.cos(x)
...     def wave_pullback(grad_s, grad_c):
...         return grad_s * c - grad_c * s
...     return (s, c), wave_pullback
... '''), standard_library())
>>> print(block_text(specialize(wave, (True, True), (True,)).block))
_1 = multiply(grad_s, cos_1)
_2 = multiply(grad_c, sin_1)
_3 = subtract(_1, _2)
return _3
>>> print(block_text(specialize(wave, (False, True), (True,)).block))
_1 = multiply(grad_c, sin_1)
_2 = negative(_1)
return _2
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..analysis.extents import extent_of, extents, join, param_extents
from ..codes import diagnostic
from ..diagnostics import FormulaError
from ..ir import Atom, Block, Eqn, Extent, Formula, Literal, Var
from ..vocabulary import WORDS
from .naming import name_gradients
from .rewrite import Namer, replace_atom, replace_eqn
from .simplify import simplify

_ZERO = Literal(None)
_METADATA = frozenset({"shape", "ndim", "size", "dtype", "like"})


@dataclass(frozen=True, slots=True)
class Variant:
    """`block.params` are the cotangents that are defined or materialized, in order."""

    block: Block
    materialize: tuple[int, ...]


class _Materialize(Exception):
    """These cotangents must be given as zeros, for what an equation does with them."""

    def __init__(self, cotangents: frozenset[Var], eqn: Eqn) -> None:
        self.cotangents = cotangents
        self.eqn = eqn


def specialize(
    formula: Formula,
    defined: Sequence[bool],
    needed: Sequence[bool],
    values: Mapping[Var, Literal] | None = None,
) -> Variant:
    """The variant of `formula.pullback` for a pattern.

    `defined` has an entry per pullback parameter, `needed` one per
    differentiable parameter of the formula, `values` gives attributes that are
    known, so that conditionals on them disappear.
    """
    assert formula.pullback is not None
    block = formula.pullback
    known = known_extents(formula)
    results = tuple(atom if want else _ZERO for atom, want in zip(block.results, needed, strict=True))
    block = Block(block.params, block.eqns, results)
    if values:
        block = _with_values(block, values)
    block = simplify(block, known)
    undefined = {var for var, here in zip(block.params, defined, strict=True) if not here}
    materialized: set[Var] = set()
    while True:
        zeros = {var: frozenset({var}) for var in undefined - materialized}
        try:
            propagated = _propagate(block, zeros, known, Namer.of(formula))
            break
        except _Materialize as need:
            if need.cotangents <= materialized:
                raise _none_used(formula, need.eqn) from None
            materialized |= need.cotangents
    simple = simplify(propagated, known)
    free = {var for var in simple.free() if var in undefined} | _reads(simple)
    params = tuple(v for v in block.params if v not in undefined or (v in materialized and v in free))
    kept = tuple(i for i, v in enumerate(block.params) if v in materialized and v in params)
    return Variant(name_gradients(formula, Block(params, simple.eqns, simple.results)), kept)


def _none_used(formula: Formula, eqn: Eqn) -> FormulaError:
    """The closure computes with a None of its own, which is no gradient that happens to be undefined."""
    message = f"`None` is an operand of {eqn.op!r} in the closure of {formula.name!r}"
    hint = "ask `is None` before, or start from an array of zeros"
    span = eqn.span or formula.span
    return FormulaError([diagnostic("PB402", message, span, name=formula.name, hint=hint)], formula.source)


def known_extents(formula: Formula) -> dict[Var, Extent]:
    """Extents of the forward's values and of the cotangents, which have those of their results."""
    known = extents(formula.forward.eqns, param_extents(formula))
    outputs = formula.forward.results[: formula.results + len(formula.hidden)]
    for cotangent, output in zip(formula.cotangents, outputs, strict=False):
        known[cotangent] = extent_of(output, known)
    return known


def _reads(block: Block) -> set[Var]:
    found = {atom for atom in block.results if isinstance(atom, Var)}
    for eqn in block.eqns:
        found.update(eqn.reads())
        for inner in eqn.blocks:
            found |= _reads(inner)
    return found


def _with_values(block: Block, values: Mapping[Var, Literal]) -> Block:
    env: dict[Var, Atom] = dict(values)
    eqns = tuple(replace_eqn(eqn, env) for eqn in block.eqns)
    return Block(block.params, eqns, tuple(replace_atom(atom, env) for atom in block.results))


Zeros = dict[Var, frozenset[Var]]


def _propagate(block: Block, zeros: Zeros, known: Mapping[Var, Extent], namer: Namer) -> Block:
    zeros, extent = dict(zeros), dict(known)
    env: dict[Var, Atom] = {}
    eqns = _walk(block.eqns, zeros, extent, env, namer)
    left = (replace_atom(atom, env) for atom in block.results)
    results = tuple(_ZERO if isinstance(atom, Var) and atom in zeros else atom for atom in left)
    return Block(block.params, tuple(eqns), results)


def _walk(
    source: Sequence[Eqn], zeros: Zeros, extent: dict[Var, Extent], env: dict[Var, Atom], namer: Namer
) -> list[Eqn]:
    kept: list[Eqn] = []
    for eqn in source:
        eqn = replace_eqn(eqn, env)
        extent.update(extents([eqn], extent))
        if eqn.op == "if":
            kept += _conditional(eqn, zeros, extent, env, namer)
            continue
        if eqn.op == "for":
            kept += _loop(eqn, zeros, extent, env, namer)
            continue
        dead = [v for v in eqn.reads() if v in zeros]
        if eqn.op == "is_none" and eqn.args and isinstance(eqn.args[0], Var):
            asked = eqn.args[0]
            if asked in zeros:
                env[eqn.outs[0]] = Literal(True)
                continue
            if asked.kind == "tensor" and asked in extent:
                env[eqn.outs[0]] = Literal(False)
                continue
        if eqn.op == "not_" and isinstance(eqn.args[0], Literal):
            env[eqn.outs[0]] = Literal(not eqn.args[0].value)
            continue
        if not dead:
            kept.append(eqn)
            continue
        origins = frozenset[Var]().union(*(zeros[v] for v in dead))
        kept += _linear(eqn, zeros, origins, extent, env)
    return kept


def _loop(eqn: Eqn, zeros: Zeros, extent: dict[Var, Extent], env: dict[Var, Atom], namer: Namer) -> list[Eqn]:
    """A carried value is zero if it starts as one and every turn leaves it one."""
    (body,) = eqn.blocks
    start = dict(zip(body.params, eqn.args, strict=True))
    inside = {p: zeros[a] for p, a in start.items() if isinstance(a, Var) and a in zeros}
    inner_zeros, inner_env = {**zeros, **inside}, dict(env)
    eqns = _walk(body.eqns, inner_zeros, dict(extent), inner_env, namer)
    results = [replace_atom(atom, inner_env) for atom in body.results]
    turned = dict(zip(body.params[1:], results, strict=False))
    lost = [p for p in inside if not (isinstance(turned.get(p), Var) and turned[p] in inner_zeros)]
    if lost:
        raise _Materialize(frozenset[Var]().union(*(inside[p] for p in lost)), eqn)
    for param, result in zip(body.params[1:], results, strict=False):
        if param not in inside and isinstance(result, Var) and result in inner_zeros:
            raise _Materialize(inner_zeros[result], eqn)
    kept = [i for i, r in enumerate(results) if not (isinstance(r, Var) and r in inner_zeros)]
    carried = len(body.params) - 1
    for i, out in enumerate(eqn.outs):
        if i not in kept:
            zeros[out] = inner_zeros[results[i]] if isinstance(results[i], Var) else frozenset()
    if not kept:
        return []
    stays = [0, *(i + 1 for i in range(carried) if i in kept)]
    block = Block(tuple(body.params[i] for i in stays), tuple(eqns), tuple(results[i] for i in kept))
    args = tuple(eqn.args[i] for i in stays)
    return [Eqn(tuple(eqn.outs[i] for i in kept), "for", args, eqn.kwargs, (block,), eqn.span)]


def _linear(
    eqn: Eqn, zeros: Zeros, origins: frozenset[Var], extent: dict[Var, Extent], env: dict[Var, Atom]
) -> list[Eqn]:
    """What is left of an equation that reads a zero."""
    if eqn.op == "item":
        zeros.update(dict.fromkeys(eqn.outs, origins))
        return []
    if eqn.op == "list" and all(isinstance(a, Var) and a in zeros for a in eqn.args):
        zeros.update(dict.fromkeys(eqn.outs, origins))
        return []
    word = WORDS.get(eqn.op)
    dead = [i for i, atom in enumerate(eqn.args) if isinstance(atom, Var) and atom in zeros]
    if word is None or not dead or any(i not in word.linear for i in dead):
        raise _Materialize(origins, eqn)
    alive = [i for i in word.linear if i < len(eqn.args) and i not in dead and not _is_zero(eqn.args[i])]
    if not word.jointly or not alive:
        zeros.update(dict.fromkeys(eqn.outs, origins))
        return []
    shapes = [extent_of(atom, extent).shape for atom in eqn.args]
    left = [shape for i, shape in enumerate(shapes) if i not in dead]
    if join(shapes) != join(left) and eqn.op != "accumulate":
        raise _Materialize(origins, eqn)
    if eqn.op in ("add", "accumulate") or (eqn.op == "subtract" and dead == [1]):
        env[eqn.outs[0]] = eqn.args[alive[0]]
        return []
    if eqn.op == "subtract":
        return [Eqn(eqn.outs, "negative", (eqn.args[1],), (), (), eqn.span)]
    if eqn.op == "where":
        args = tuple(Literal(0.0) if i in dead else atom for i, atom in enumerate(eqn.args))
        return [Eqn(eqn.outs, "where", args, eqn.kwargs, (), eqn.span)]
    raise _Materialize(origins, eqn)


def _is_zero(atom: Atom) -> bool:
    return isinstance(atom, Literal) and (
        atom.value is None or (atom.value == 0 and not isinstance(atom.value, bool))
    )


def _conditional(
    eqn: Eqn, zeros: Zeros, extent: dict[Var, Extent], env: dict[Var, Atom], namer: Namer
) -> list[Eqn]:
    """One branch where the condition is known; else both, zero only where both are."""
    condition = eqn.args[0]
    if isinstance(condition, Literal):
        block = eqn.blocks[0 if condition.value else 1]
        kept = _walk(block.eqns, zeros, extent, env, namer)
        for out, atom in zip(eqn.outs, block.results, strict=True):
            atom = replace_atom(atom, env)
            if isinstance(atom, Literal) and atom.value is None:
                zeros[out] = frozenset()
            elif isinstance(atom, Var) and atom in zeros:
                zeros[out] = zeros[atom]
            else:
                env[out] = atom
        return kept
    if condition in zeros:
        raise _Materialize(zeros[condition] if isinstance(condition, Var) else frozenset(), eqn)
    blocks, states = [], []
    for block in eqn.blocks:
        inner_zeros, inner_env = dict(zeros), dict(env)
        eqns = _walk(block.eqns, inner_zeros, dict(extent), inner_env, namer)
        results = tuple(replace_atom(atom, inner_env) for atom in block.results)
        states.append(
            [
                inner_zeros.get(a) if isinstance(a, Var) else (frozenset() if a == _ZERO else None)
                for a in results
            ]
        )
        blocks.append(Block((), tuple(eqns), results))
    kept_index = []
    for index, (then, other) in enumerate(zip(*states, strict=True)):
        if then is not None and other is not None:
            zeros[eqn.outs[index]] = then | other
        elif then or other:
            raise _Materialize((then or frozenset()) | (other or frozenset()), eqn)
        else:
            kept_index.append(index)
    if not kept_index:
        return []
    chosen = [Block((), b.eqns, tuple(b.results[i] for i in kept_index)) for b in blocks]
    outs = tuple(eqn.outs[i] for i in kept_index)
    return [Eqn(outs, "if", eqn.args, eqn.kwargs, tuple(chosen), eqn.span)]
