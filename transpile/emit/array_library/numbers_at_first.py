"""Variables of tensors that may be numbers of Python: what a loop carries begins as one.

In: equations. Out: those of their variables, in nested blocks too. PyTorch's functions take no number where
NumPy's do.

>>> from ...ir import Block
>>> top, v, above = Var("top"), Var("v"), Var("above")
>>> body = Block((v, top), (Eqn((above,), "maximum", (top, v)),), (above,))
>>> loop = Eqn((Var("largest"),), "for", (Var("x", "list"), Literal(0.0)), (), (body,))
>>> sorted(var.name for var in numbers_at_first([loop]))
['largest', 'top']
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...ir import Atom, Eqn, Literal, Var
from ...operators import OPERATORS


def numbers_at_first(eqns: Iterable[Eqn]) -> frozenset[Var]:
    """The variables of tensors that are numbers before a first iteration, or on one side of a branch."""
    found: set[Var] = set()
    _add(eqns, found)
    return frozenset(found)


def _add(eqns: Iterable[Eqn], found: set[Var]) -> None:
    for eqn in eqns:
        if eqn.op == "for":
            (body,) = eqn.blocks
            carried = body.params[1:]
            known = -1
            while known != len(found):
                known = len(found)
                _join(carried, (eqn.args[1:], body.results), found)
                _add(body.eqns, found)
            _join(eqn.outs, (carried,), found)
        elif eqn.op == "if":
            for block in eqn.blocks:
                _add(block.eqns, found)
            _join(eqn.outs, [block.results for block in eqn.blocks], found)
        elif _is_infix(eqn.op) and all(_is_number(atom, found) for atom in eqn.args):
            found.update(out for out in eqn.outs if out.kind == "tensor")


def _is_infix(op: str) -> bool:
    info = OPERATORS.get(op)
    return info is not None and info.pointwise and bool(info.infix)


def _join(outs: Sequence[Var], sides: Iterable[Sequence[Atom]], found: set[Var]) -> None:
    """Add tensors that have a number on one of several sides."""
    for side in sides:
        found.update(
            out
            for out, atom in zip(outs, side, strict=False)
            if out.kind == "tensor" and _is_number(atom, found)
        )


def _is_number(atom: Atom, found: set[Var]) -> bool:
    if isinstance(atom, Literal):
        return isinstance(atom.value, int | float)
    return atom.kind == "value" or atom in found
