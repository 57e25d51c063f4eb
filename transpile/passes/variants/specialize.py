"""A variant of a pullback for the gradients that are defined and those that are needed.

In: a promoted formula's pullback, which of its cotangents are defined, which
of its gradients are needed. Out: a block over the defined cotangents, with
the questions about `None` answered and everything that multiplies an undefined
gradient gone. An undefined gradient is a zero that nobody computes: it passes
through operators that are linear in it. Where an operator is not, or where
the zero's shape would be lost, the cotangent is named in `materialize` and
stays a parameter, to be given as zeros.

>>> from ...library import formula_in, standard_library
>>> from ...printer import formula_text
>>> from ..promote.promote import promote
>>> pair = promote(formula_in('''
... def pair(x):
...     t = np.exp(x)
...     def pair_pullback(grad, grad_2):
...         return grad * t + 2 * grad_2 * x
...     return (t + 1, x * x), pair_pullback
... '''), standard_library())
>>> print(formula_text(pair.evolve(pullback=specialize(pair, (True, True, False), (True,)).block)))
formula pair(x: Tensor)
  forward:
    t = exp(x)
    _1 = add(t, 1)
    _2 = multiply(x, x)
    return result _1, result _2, hidden t
  pullback(grad, grad_2):
    _3 = multiply(grad, t)
    _4 = multiply(2, grad_2)
    _5 = multiply(_4, x)
    _6 = add(_3, _5)
    return _6

Where only the second result has a gradient, less is left:

>>> from ...printer import block_text
>>> print(block_text(specialize(pair, (False, True, False), (True,)).block))
_3 = multiply(2, grad_2)
_4 = multiply(_3, x)
return _4
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...analysis.types import known_types
from ...codes import diagnostic
from ...derivatives import Variant
from ...diagnostics import FormulaError
from ...ir import Atom, Block, Eqn, Formula, Literal, Var
from ...ir.types import Type
from ...rewrite import replace_atom, replace_eqn, uses
from ..readable.naming import name_gradients
from ..simplify.simplify import simplify
from .zeros import NONE, Materialize, propagate_zeros


def specialize(
    formula: Formula,
    defined: Sequence[bool],
    needed: Sequence[bool],
    values: Mapping[Var, Literal] | None = None,
    known: Mapping[Var, Type] | None = None,
) -> Variant:
    """The variant of `formula.pullback` for a pattern.

    `defined` has an entry per pullback parameter, `needed` one per
    differentiable parameter of the formula, `values` gives attributes that are
    known, so that conditionals on them disappear. `known` are its `known_types`.
    """
    assert formula.pullback is not None
    block = formula.pullback
    known = known_types(formula) if known is None else known
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
            more = need.zeros - materialized
            if not more:
                raise _none_used(formula, need.eqn) from None
            # A zero that is written out stays one where it would be if all were defined: else the
            # variant would read what is not saved.
            materialized |= (more & undefined) or more
    simple = block if propagated == block else simplify(propagated, known)
    read = uses(simple).keys()
    params = tuple(v for v in block.params if v not in undefined or (v in materialized and v in read))
    kept = tuple(i for i, v in enumerate(block.params) if v in materialized and v in params)
    return Variant(name_gradients(formula, Block(params, simple.eqns, simple.results)), kept)


def _none_used(formula: Formula, eqn: Eqn) -> FormulaError:
    """The closure computes with a None of its own, which is no gradient that happens to be undefined."""
    message = f"`None` is an operand of {eqn.op!r} in the closure of {formula.name!r}"
    hint = "ask `is None` before, or start from an array of zeros"
    span = eqn.span or formula.span
    return FormulaError([diagnostic("PB402", message, span, name=formula.name, hint=hint)], formula.source)


def _with_values(block: Block, values: Mapping[Var, Literal]) -> Block:
    env: dict[Var, Atom] = dict(values)
    eqns = tuple(replace_eqn(eqn, env) for eqn in block.eqns)
    return Block(block.params, eqns, tuple(replace_atom(atom, env) for atom in block.results))
