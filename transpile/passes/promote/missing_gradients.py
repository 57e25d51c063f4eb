"""A gradient that is None on one side of a condition is zeros there.

In: equations of a pullback, and a gradient that they make. Out: the equations with a
gradient that every side has; the same ones where every side has it already.

>>> from ...library import formula_in, standard_library
>>> from ...printer import formula_text
>>> from .promote import promote
>>> f = formula_in('''
... def f(x, y, *, twice: bool):
...     def f_pullback(grad):
...         return grad, (grad if twice else None)
...     return x, f_pullback
... ''')
>>> print(formula_text(promote(f, standard_library())))
formula f(x: Tensor, y: Tensor, *, twice: bool)
  forward:
    like_y = like(y)
    return result x, plain twice, plain like_y
  pullback(grad):
    _1 = if(twice)
      then:
        return grad
      else:
        zeros = broadcast_like(0.0, like=like_y)
        return zeros
    grad_y = sum_to(_1, like=like_y)
    return grad, grad_y
"""

from __future__ import annotations

from collections.abc import Sequence

from ...ir import Atom, Block, Eqn, Literal, Var
from ...rewrite import Namer

_NONE = Literal(None)


def on_every_side(
    eqns: Sequence[Eqn], gradient: Atom, like: Var, namer: Namer
) -> tuple[tuple[Eqn, ...], Atom]:
    """The equations, and the gradient, which is zeros of `like` where it was None."""
    if gradient == _NONE:
        zeros = namer.fresh("zeros")
        return (*eqns, Eqn((zeros,), "broadcast_like", (Literal(0.0),), (("like", like),))), zeros
    if not _may_be_none(eqns, gradient):
        return tuple(eqns), gradient
    assert isinstance(gradient, Var)
    made, whole = [], namer.like(gradient)
    for eqn in eqns:
        if gradient in eqn.outs:
            position = eqn.outs.index(gradient)
            blocks = tuple(_with_result(block, position, like, namer) for block in eqn.blocks)
            eqn = Eqn((*eqn.outs, whole), eqn.op, eqn.args, eqn.kwargs, blocks, eqn.span)
        made.append(eqn)
    return tuple(made), whole


def _with_result(block: Block, position: int, like: Var, namer: Namer) -> Block:
    eqns, result = on_every_side(block.eqns, block.results[position], like, namer)
    return Block(block.params, eqns, (*block.results, result))


def _may_be_none(eqns: Sequence[Eqn], atom: Atom) -> bool:
    made = next((eqn for eqn in eqns if atom in eqn.outs), None)
    if made is None or made.op != "if":
        return False
    position = made.outs.index(atom)
    sides = [(block.eqns, block.results[position]) for block in made.blocks]
    return any(result == _NONE or _may_be_none(inner, result) for inner, result in sides)
