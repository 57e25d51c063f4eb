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

from ..analysis.extents import extent_of, extents, of_formula, param_extents
from ..codes import diagnostic
from ..diagnostics import FormulaError
from ..ir import Atom, Block, Eqn, Extent, Formula, Literal, Var
from .naming import name_gradients
from .rewrite import replace_atom, replace_eqn
from .simplify import simplify
from .zeros import NONE, Materialize, propagate_zeros


@dataclass(frozen=True, slots=True)
class Variant:
    """`block.params` are the cotangents that are defined or materialized, in order."""

    block: Block
    materialize: tuple[int, ...]


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
    results = tuple(atom if want else NONE for atom, want in zip(block.results, needed, strict=True))
    block = Block(block.params, block.eqns, results)
    if values:
        block = _with_values(block, values)
    block = simplify(block, known)
    undefined = {var for var, here in zip(block.params, defined, strict=True) if not here}
    materialized: frozenset[Var] = frozenset()
    while True:
        try:
            propagated = propagate_zeros(block, undefined - materialized, known, materialized)
            break
        except Materialize as need:
            if need.zeros <= materialized:
                raise _none_used(formula, need.eqn) from None
            materialized |= need.zeros
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
    """Extents of the forward's values and of the cotangents, which have those of their results.

    Under names of the formula's, for a pullback may use a name of the forward for another value.
    """
    known = extents(formula.forward.eqns, param_extents(formula))
    known = {var: of_formula(extent, formula.name) for var, extent in known.items()}
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
