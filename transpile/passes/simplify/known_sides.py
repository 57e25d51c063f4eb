"""The side that a branch of the forward took, known in the closure's branches on the same condition.

In: a formula with a closure. Out: the same formula, whose closure reads constants, and values from
before the conditional, in place of what the conditional's side sets to them.

>>> from ...library import formula_in
>>> from ...printer import formula_text
>>> from ..promote.normalize import normalize
>>> print(formula_text(with_known_sides(normalize(formula_in('''
... def scaled(x, *, wide: bool = True):
...     if wide:
...         factor = 2.0
...     else:
...         factor = x
...     def scaled_pullback(grad):
...         return grad * factor if wide else grad * factor * 2
...     return x * factor, scaled_pullback
... ''')))))
formula scaled(x: Tensor, *, wide: bool)
  forward:
    like_x = like(x)
    factor = if(wide)
      then:
        return 2.0
      else:
        return x
    _1 = multiply(x, factor)
    return result _1
  pullback(grad):
    _5 = if(wide)
      then:
        _2 = multiply(grad, 2.0)
        return _2
      else:
        _3 = multiply(grad, x)
        _4 = multiply(_3, 2)
        return _4
    grad_x = sum_to(_5, like=like_x)
    return grad_x
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ...ir import Atom, Block, Eqn, Formula, Literal, Var
from ...rewrite import replace_eqn, without_blocks


def with_known_sides(formula: Formula) -> Formula:
    """The formula whose closure reads what the sides of the forward's conditionals are known to have set."""
    assert formula.pullback is not None
    forward = formula.forward
    conditionals: dict[Var, list[Eqn]] = {}
    for eqn in forward.every():
        if eqn.op == "if" and isinstance(eqn.args[0], Var):
            conditionals.setdefault(eqn.args[0], []).append(eqn)
    seen = {*forward.params, *(out for eqn in forward.eqns for out in eqn.outs)}
    return formula.evolve(pullback=_Closure(conditionals, seen).block(formula.pullback, {}))


class _Closure:
    """Reads of a closure, replaced. `seen`: what of the forward the closure may read."""

    def __init__(self, conditionals: Mapping[Var, list[Eqn]], seen: set[Var]) -> None:
        self._conditionals = conditionals
        self._seen = seen

    def block(self, block: Block, means: Mapping[Var, Atom]) -> Block:
        """The block; `means` has what variables of the forward are in it."""
        env = {var: atom for var in block.free() if (atom := self._readable(var, means)) != var}
        eqns = tuple(self._equation(eqn, env, means) for eqn in block.eqns)
        results = tuple(env.get(atom, atom) if isinstance(atom, Var) else atom for atom in block.results)
        return Block(block.params, eqns, results)

    def _equation(self, eqn: Eqn, env: Mapping[Var, Atom], means: Mapping[Var, Atom]) -> Eqn:
        moved = replace_eqn(without_blocks(eqn), env)
        if not eqn.blocks:
            return moved
        sides = [means] * len(eqn.blocks)
        if eqn.op == "if" and isinstance(eqn.args[0], Var):
            sides = [self._on_side(eqn.args[0], side, means) for side in (0, 1)]
        blocks = tuple(self.block(block, side) for block, side in zip(eqn.blocks, sides, strict=True))
        return replace(moved, blocks=blocks)

    def _on_side(self, condition: Var, side: int, means: Mapping[Var, Atom]) -> dict[Var, Atom]:
        """Further facts where the condition holds (side 0), or doesn't."""
        found = dict(means)
        for alike in _chain(condition, means):
            for eqn in self._conditionals.get(alike, ()) if isinstance(alike, Var) else ():
                found.update(zip(eqn.outs, eqn.blocks[side].results, strict=True))
        return found

    def _readable(self, var: Var, means: Mapping[Var, Atom]) -> Atom:
        """The last that the variable is known to be and that the closure can read."""
        readable = [atom for atom in _chain(var, means) if isinstance(atom, Literal) or atom in self._seen]
        return readable[-1] if readable else var


def _chain(var: Var, means: Mapping[Var, Atom]) -> list[Atom]:
    """The variable, what it is known to be, what that is known to be, and so on."""
    chain: list[Atom] = [var]
    while isinstance(last := chain[-1], Var) and last in means:
        chain.append(means[last])
    return chain
