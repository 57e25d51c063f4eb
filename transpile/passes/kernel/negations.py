"""Negations of elements: `not` of an element of an array is an element too.

In: a formula. Out: the formula in which ``not np.any(x > 5)`` is computed where
its operand is, and what conditions and loops carry of it too. Python's `not` gives a bool and not an array,
which makes no difference to what only decides: a formula that reads one otherwise stays as it is.

>>> from ...library import formula_in
>>> from ...printer import block_text
>>> halved = formula_in('''
... def halved(x):
...     if not np.any(x > 5):
...         return x
...     return x * 0.5
... ''')
>>> print(block_text(with_negations_of_elements(halved).forward))
_1 = greater(x, 5)
_2 = any(_1)
_3 = logical_not(_2)
_5 = if(_3)
  then:
    return x
  else:
    _4 = multiply(x, 0.5)
    return _4
return _5
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ...ir import Atom, Block, Eqn, Formula, Var
from ...rewrite import expand, rename


def with_negations_of_elements(formula: Formula) -> Formula:
    """The formula whose conditions on elements stay elements where they are negated."""
    blocks = [formula.forward, *([formula.pullback] if formula.pullback is not None else [])]
    found = _negations([eqn for block in blocks for eqn in block.every()])
    shown = formula.forward.results[: formula.results]  # what follows is saved for the pullback
    blocks_read = [replace(formula.forward, results=shown), *blocks[1:]]
    if not found or any(var in found for block in blocks_read for var in _read_otherwise(block)):
        return formula
    changed = [expand(rename(block, found), _of_element) for block in blocks]
    return formula.evolve(
        forward=changed[0],
        pullback=changed[1] if len(changed) > 1 else None,
        plain=tuple(found.get(var, var) for var in formula.plain),
    )


def _of_element(eqn: Eqn) -> Sequence[Eqn]:
    """`not` of a tensor as an operator on it."""
    is_of_element = eqn.op == "not_" and isinstance(eqn.args[0], Var) and eqn.args[0].kind == "tensor"
    return [replace(eqn, op="logical_not") if is_of_element else eqn]


def _negations(eqns: Sequence[Eqn]) -> dict[Var, Var]:
    """Tensors for the outputs of `not` of a tensor, and for what conditions and loops make of these."""
    found: dict[Var, Var] = {}
    count = -1
    while count != len(found):
        count = len(found)
        for eqn in eqns:
            for made, sources in _made_of(eqn):
                of_tensor = eqn.op == "not_" and isinstance(sources[0], Var) and sources[0].kind == "tensor"
                if of_tensor or any(atom in found for atom in sources):
                    found |= {var: var._replace(kind="tensor") for var in made if var.kind == "value"}
    return found


def _made_of(eqn: Eqn) -> Iterator[tuple[Sequence[Var], Sequence[Atom]]]:
    """Variables, and what they are elements of if that is one: of negations, conditions and loops."""
    if eqn.op == "not_":
        yield eqn.outs, eqn.args
    elif eqn.op == "if":
        for out, *sides in zip(eqn.outs, *(block.results for block in eqn.blocks), strict=True):
            yield (out,), sides
    elif eqn.op == "for":
        (body,) = eqn.blocks
        carried = zip(eqn.outs, body.params[1:], eqn.args[1:], body.results, strict=False)
        yield from (((out, param), (param, *sources)) for out, param, *sources in carried)


def _read_otherwise(block: Block) -> Iterator[Var]:
    """The variables that are read by more than conditions, negations, and what carries them on."""
    yield from (atom for atom in block.results if isinstance(atom, Var))
    for eqn in block.every():
        carried = {"if": 1, "not_": 1, "for": len(eqn.args)}.get(eqn.op, 0)
        others = (*eqn.args[carried:], *(value for _, value in eqn.kwargs))
        yield from (atom for atom in others if isinstance(atom, Var))
