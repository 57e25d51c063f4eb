"""Numbers: values that are no arrays where they have no axes.

In: a block. Out: those of its variables which, computed with no axes, are numbers of
Python or scalars of NumPy. NumPy's functions of entries, its sums and an entry at a
position give scalars; views, copies and arrays made of a shape stay arrays of no axes,
which ``t += v`` writes to where it replaces a number. An input may be either.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..ir import Atom, Block, Eqn, Literal, Var
from ..operators import OPERATORS

# These work entry by entry, and give an array of no axes: `positive` is a copy.
ALWAYS_ARRAY = frozenset({"where", "positive"})
# These give an array for an array, and a scalar for a scalar.
_LIKE_OPERAND = frozenset({"astype", "real", "imag", "stop_gradient"})
_PRODUCTS = frozenset({"matmul", "dot", "vdot", "inner"})


def numbers(block: Block) -> frozenset[Var]:
    """The variables of a block, and of those in it, that are numbers where they have no axes.

    >>> from ..ir import Block, Eqn, Var
    >>> x, total, copied = Var("x"), Var("total"), Var("copied")
    >>> eqns = Eqn((total,), "sum", (x,)), Eqn((copied,), "positive", (x,))
    >>> sorted(var.name for var in numbers(Block((x,), eqns, (total, copied))))
    ['total']
    """
    found: set[Var] = set()
    _add(block.eqns, found)
    return frozenset(found)


def gives_number(op: str) -> bool:
    """True for an operator of arrays whose result is a scalar of NumPy where it has no axes."""
    info = OPERATORS.get(op)
    if info is None or op in _LIKE_OPERAND | ALWAYS_ARRAY:
        return False
    entries = info.pointwise and info.python.startswith(("numpy.", "scipy."))
    return entries or info.kind == "reduction" or op in _PRODUCTS


def _add(eqns: Iterable[Eqn], found: set[Var]) -> None:
    for eqn in eqns:
        if eqn.op == "for":
            _add_loop(eqn, found)
            continue
        for block in eqn.blocks:
            _add(block.eqns, found)
        sides = zip(*(block.results for block in eqn.blocks), strict=True)
        if eqn.op == "if":
            found.update(
                out
                for out, side in zip(eqn.outs, sides, strict=True)
                if all(_is_number(a, found) for a in side)
            )
        elif _gives_number(eqn, found):
            found.update(eqn.outs)


def _add_loop(eqn: Eqn, found: set[Var]) -> None:
    """Carried values are numbers where they begin as such, and an iteration of numbers leaves them so."""
    (body,) = eqn.blocks
    item, *carried = body.params
    found.add(item)
    start = eqn.args[1:]
    held = {var for var, atom in zip(carried, start, strict=True) if _is_number(atom, found)}
    while True:
        inside = found | held
        _add(body.eqns, inside)
        left = {
            var
            for var, atom in zip(carried, body.results, strict=False)
            if var in held and _is_number(atom, inside)
        }
        if left == held:
            break
        held = left
    found |= inside
    found.update(out for out, var in zip(eqn.outs, carried, strict=False) if var in held)


def _gives_number(eqn: Eqn, found: set[Var]) -> bool:
    if eqn.op == "in_place":
        return _is_number(eqn.args[1], found)
    if eqn.op in _LIKE_OPERAND:
        return _is_number(eqn.args[0], found)
    if eqn.op == "tuple":
        return all(_is_position(atom, found) for atom in eqn.args)
    if eqn.op == "item":
        return eqn.outs[0].kind == "value"
    if eqn.op == "getitem":
        return _is_entry(eqn.kwarg("index"), found)
    return gives_number(eqn.op)


def _is_number(atom: Atom, found: set[Var]) -> bool:
    return isinstance(atom, Literal) or atom.kind == "value" or atom in found


def _is_entry(index: Atom | None, found: set[Var]) -> bool:
    """True for an index that is a position along each axis, where it leaves none."""
    if isinstance(index, Literal) and isinstance(index.value, tuple):
        return all(isinstance(part, int) for part in index.value)
    return index is not None and _is_position(index, found)


def _is_position(atom: Atom, found: set[Var]) -> bool:
    return isinstance(atom.value, int) if isinstance(atom, Literal) else atom in found
