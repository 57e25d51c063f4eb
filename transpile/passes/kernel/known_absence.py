"""Known absence: the condition says where a value that a branch may have left out is there.

In: a block. Out: the same block, which does not ask whether what a conditional left is None, but
for the condition, or for a truth value that the conditional leaves besides.

>>> from ...library import formula_in
>>> from ..promote.normalize import normalize
>>> from ...printer import block_text
>>> made = normalize(formula_in('''
... def scaled(x, *, wide: bool):
...     factor = None
...     if wide:
...         factor = x * x
...     return x if factor is None else x * factor
... '''))
>>> print(block_text(with_known_absence(made.forward)))
factor = if(wide)
  then:
    factor_1 = multiply(x, x)
    return factor_1
  else:
    return None
_1 = not_(wide)
_3 = if(_1)
  then:
    return x
  else:
    _2 = multiply(x, factor)
    return _2
return _3
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ...ir import Atom, Block, Eqn, Literal, Var
from ...rewrite import Namer, all_names, label
from ..simplify.simplify import remove_dead

_NONE = Literal(None)


def with_known_absence(block: Block) -> Block:
    """The block, which asks conditions and not the values that may be missing."""
    if all(eqn.op != "is_none" for eqn in block.every()):
        return block
    without_absence = _Scope(Namer(all_names(block))).inside(block)
    return replace(
        without_absence, eqns=tuple(remove_dead(list(without_absence.eqns), without_absence.results))
    )


class _Scope:
    """Questions whether a variable is None, by those that may be: an operator and a truth value."""

    def __init__(self, namer: Namer, missing: Mapping[Var, tuple[str, Var]] | None = None) -> None:
        self._namer = namer
        self._missing = dict(missing or {})

    def inside(self, block: Block) -> Block:
        """A block in the scope, which gains what the block finds."""
        eqns: list[Eqn] = []
        for eqn in block.eqns:
            asked = eqn.args[0] if eqn.op == "is_none" else None
            if isinstance(asked, Var) and asked in self._missing:
                op, condition = self._missing[asked]
                eqn = replace(eqn, op=op, args=(condition,))
            scopes = [_Scope(self._namer, self._missing) for _ in eqn.blocks]
            blocks = [scope.inside(inner) for scope, inner in zip(scopes, eqn.blocks, strict=True)]
            eqn = replace(eqn, blocks=tuple(blocks))
            eqns.append(self._told(eqn, scopes) if eqn.op == "if" else eqn)
        return replace(block, eqns=tuple(eqns))

    def _told(self, eqn: Eqn, scopes: Sequence[_Scope]) -> Eqn:
        """The conditional, which also leaves what its condition alone does not say of its outputs."""
        condition = eqn.args[0]
        if not isinstance(condition, Var) or condition.kind != "value":
            return eqn
        for k, out in enumerate(eqn.outs):
            then, other = (block.results[k] for block in eqn.blocks)
            first, second = (
                atom in scope._missing for atom, scope in zip((then, other), scopes, strict=True)
            )
            if then == _NONE and other != _NONE and not second:
                self._missing[out] = "bool", condition
            elif other == _NONE and then != _NONE and not first:
                self._missing[out] = "not_", condition
            elif first or second:
                absent = self._namer.fresh(f"no_{label(out)}", "value")
                self._missing[out] = "bool", absent
                blocks = [
                    scope._leaving(block, atom)
                    for scope, block, atom in zip(scopes, eqn.blocks, (then, other), strict=True)
                ]
                eqn = replace(eqn, outs=(*eqn.outs, absent), blocks=tuple(blocks))
        return eqn

    def _leaving(self, block: Block, atom: Atom) -> Block:
        """The block of the scope with a result more: whether this is None."""
        if not isinstance(atom, Var) or atom not in self._missing:
            return replace(block, results=(*block.results, Literal(atom == _NONE)))
        op, condition = self._missing[atom]
        absent = self._namer.temp("value")
        asked = Eqn((absent,), op, (condition,))
        return Block(block.params, (*block.eqns, asked), (*block.results, absent))
