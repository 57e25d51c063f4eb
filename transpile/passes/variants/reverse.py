"""The pullback of a formula as a formula of its own: its forward is the backward pass.

In: a promoted formula and a pattern of defined and needed gradients. Out: a
formula without a closure, whose parameters are what the pullback reads (saved
values, then cotangents) and whose results are the gradients. Promoting it
derives the double backward; doing that again, the triple one.

>>> from ...library import formula_in, standard_library
>>> from ...printer import formula_text
>>> from ..promote.promote import promote
>>> cube = promote(formula_in('''
... def cube(x):
...     return x * x * x, lambda grad: 3 * x * x * grad
... '''), standard_library())
>>> print(formula_text(reverse(cube, (True,), (True,)).formula))
formula cube_backward(x: Tensor, grad: Tensor)
  forward:
    _1 = multiply(3, x)
    _3 = multiply(_1, x)
    _4 = multiply(_3, grad)
    return result _4
  pullback: to be derived
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...analysis.types import known_types
from ...ir import Block, Eqn, Formula, Literal, Options, Param, Var
from ...rewrite import Namer
from .specialize import specialize


@dataclass(frozen=True, slots=True)
class Reverse:
    """A backward pass as a formula.

    reads        the saved values among its parameters, which come first
    cotangents   which cotangents of the original follow, by index
    materialize  those of them that are undefined in the pattern and must come as zeros
    gradients    which gradients of the original its results are, by index
    """

    formula: Formula
    reads: tuple[Var, ...]
    cotangents: tuple[int, ...]
    materialize: tuple[int, ...]
    gradients: tuple[int, ...]


def reverse(
    formula: Formula,
    defined: Sequence[bool],
    needed: Sequence[bool],
    values: Mapping[Var, Literal] | None = None,
) -> Reverse:
    """The backward pass of a promoted formula for a pattern, as a formula."""
    known = known_types(formula)
    variant = specialize(formula, defined, needed, values, known)
    block = variant.block
    free = set(block.free())
    order = [*(param.var for param in formula.params), *formula.forward.results]
    reads = tuple(dict.fromkeys(var for var in order if isinstance(var, Var) and var in free))
    differentiable = {param.var for param in formula.inputs}
    differentiable |= {v for v in formula.forward.results[: formula.results] if isinstance(v, Var)}
    differentiable |= set(formula.hidden)
    params = [Param(var, differentiable=var in differentiable and var.kind != "value") for var in reads]
    params += [Param(var) for var in block.params]
    gradients = tuple(i for i, atom in enumerate(block.results) if isinstance(atom, Var))
    namer = Namer.of(formula)
    eqns, results = list(block.eqns), []
    for index in gradients:
        atom = block.results[index]
        assert isinstance(atom, Var)
        if atom in results or atom in free or atom in block.params:
            copy = namer.fresh(f"grad_{formula.inputs[index].var.name}", atom.kind)
            eqns.append(Eqn((copy,), "positive", (atom,), span=formula.span))
            atom = copy
        results.append(atom)
    made = Formula(
        name=f"{formula.name}_backward",
        params=tuple(params),
        forward=Block(tuple(param.var for param in params), tuple(eqns), tuple(results)),
        pullback=None,
        source=formula.source,
        span=formula.span,
        results=len(results),
        types=tuple((param.var, known[param.var]) for param in params if param.var in known),
        options=Options(),
        result_is_tuple=True,
    )
    present = tuple(formula.cotangents.index(var) for var in block.params)
    return Reverse(made, reads, present, variant.materialize, gradients)
