"""Shapes of arrays that a loop carries, read once: an iteration leaves the shape that it was given.

In: a promoted formula whose inputs have numbers of axes. Out: the same, where the shape of what an
iteration carries is read of what the loop starts from, so that it is not saved of each iteration.

>>> from ...ir.types import TensorType
>>> from ...library import formula_in
>>> from ...printer import block_text
>>> halved = formula_in('''
... def halved(x, *, n: int):
...     y = x * 1.0
...     for i in range(n):
...         y[i] = 0.5 * y.shape[0]
...     return y
... ''')
>>> known = halved.evolve(types=((halved.params[0].var, TensorType(("x.0",), "x.dtype")),))
>>> print(block_text(with_shapes_of_carried(known).forward))
y = multiply(x, 1.0)
_1 = range(n)
y_1_shape = shape(y)
y_3 = for(n, y)
  each i, y_1:
    _3 = item(y_1_shape, 0)
    _4 = multiply(0.5, _3)
    y_2 = index_put(y_1, _4, index=i)
    return y_2
return y_3
"""

from __future__ import annotations

from dataclasses import replace

from ...analysis.types import Types, param_types, types_of
from ...ir import Atom, Block, Eqn, Formula, Var
from ...ir.types import Shape, TensorType, Type
from ...rewrite import Namer, replace_block


def with_shapes_of_carried(formula: Formula) -> Formula:
    """The formula whose loops ask for the shapes of what they start from."""
    loops = any(eqn.op == "for" for eqn in formula.forward.every())
    if not loops or all(_shape(found) is None for _, found in formula.types):
        return formula
    types = types_of(formula.forward.eqns, param_types(formula))
    return formula.evolve(forward=_block(formula.forward, types, Namer.of(formula)))


def _block(block: Block, types: Types, namer: Namer) -> Block:
    eqns: list[Eqn] = []
    for eqn in block.eqns:
        if eqn.blocks:
            eqn = replace(eqn, blocks=tuple(_block(inner, types, namer) for inner in eqn.blocks))
        if eqn.op == "for":
            before, eqn = _hoisted(eqn, types, namer)
            eqns += before
        eqns.append(eqn)
    return Block(block.params, tuple(eqns), block.results)


def _hoisted(eqn: Eqn, types: Types, namer: Namer) -> tuple[list[Eqn], Eqn]:
    """The loop, and the equations before it that ask for shapes which its iterations do not change."""
    (body,) = eqn.blocks
    sources: dict[Shape, tuple[Var, Var]] = {}
    for param, start in zip(body.params[1:], eqn.args[1:], strict=True):
        known = _shape(types.get(param))
        if isinstance(start, Var) and known and known == _shape(types.get(start)):
            sources.setdefault(known, (param, start))
    made: dict[Var, Var] = {}
    env: dict[Var, Atom] = {}
    kept: list[Eqn] = []
    for inner in body.eqns:
        asked = inner.args[0] if inner.op == "shape" else None
        known = _shape(types.get(asked)) if isinstance(asked, Var) else None
        if known is None or known not in sources:
            kept.append(inner)
            continue
        param, start = sources[known]
        if start not in made:
            made[start] = namer.fresh(f"{param.name}_shape", "value")
        env[inner.outs[0]] = made[start]
    if not made:
        return [], eqn
    body = replace_block(Block(body.params, tuple(kept), body.results), env)
    before = [Eqn((var,), "shape", (start,), span=eqn.span) for start, var in made.items()]
    return before, replace(eqn, blocks=(body,))


def _shape(found: Type | None) -> Shape | None:
    """The shape of a tensor whose axes are known, and are some."""
    if not isinstance(found, TensorType) or found.optional or not isinstance(found.shape, tuple):
        return None
    return found.shape or None
