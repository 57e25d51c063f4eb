"""Values that elements of arrays decide: a kernel knows them when it has run, and not before.

Which number ``k = 3 if x[0] > 0 else 0`` is, an element says. So it is with what is computed of it, with
the length of what it cuts, and with the shape of an array that another branch makes in another length.
"""

from __future__ import annotations

from collections.abc import Collection

from ...ir import Block, Eqn, Var
from ...operators import OPERATORS

# What these give is the same for arrays of any entries.
_OF_SHAPES = frozenset({"like", "shape", "ndim", "size", "len", "is_none"})


def decided_by_elements(block: Block) -> set[Var]:
    """The numbers that elements decide, and the arrays whose shapes they decide.

    >>> from ...ir import Literal
    >>> x, test, k, y = Var("x"), Var("test"), Var("k", "value"), Var("y")
    >>> sides = Block((), (), (Literal(3),)), Block((), (), (Literal(0),))
    >>> choice = Eqn((k,), "if", (test,), (), sides)
    >>> eqns = (Eqn((test,), "greater", (x, Literal(0))), choice, Eqn((y,), "multiply", (x, k)))
    >>> decided_by_elements(Block((x,), eqns, (y, k))) == {k}
    True
    """
    found: set[Var] = set()
    _visit(block, found)
    return found


def _visit(block: Block, found: set[Var]) -> None:
    for eqn in block.eqns:
        if eqn.op == "for":
            _loop(eqn, found)
        elif eqn.op == "if":
            _branches(eqn, found)
        elif _is_decided(eqn, found):
            found.update(eqn.outs)


def _is_decided(eqn: Eqn, found: Collection[Var]) -> bool:
    """True where a number is computed of elements, or anything of what they decide."""
    operands = [atom for atom in (*eqn.args, *(atom for _, atom in eqn.kwargs)) if isinstance(atom, Var)]
    info = OPERATORS.get(eqn.op)
    fused = info is not None and info.pointwise and any(out.kind == "tensor" for out in eqn.outs)
    # The shape of a pointwise result is that of its arrays, whatever a number is.
    asked = [atom for atom in operands if not fused or atom.kind == "tensor"]
    if any(atom in found for atom in asked):
        return True
    of_arrays = any(atom.kind == "tensor" for atom in operands)
    return of_arrays and eqn.op not in _OF_SHAPES and any(out.kind == "value" for out in eqn.outs)


def _branches(eqn: Eqn, found: set[Var]) -> None:
    for block in eqn.blocks:
        _visit(block, found)
    test = eqn.args[0]
    by_elements = isinstance(test, Var) and (test.kind == "tensor" or test in found)
    for out, *sides in zip(eqn.outs, *(block.results for block in eqn.blocks), strict=True):
        if (by_elements and len(set(sides)) > 1) or any(side in found for side in sides):
            found.add(out)


def _loop(eqn: Eqn, found: set[Var]) -> None:
    """A loop, again until what it carries is known: an iteration decides what the next one begins with."""
    (body,) = eqn.blocks
    carried = len(eqn.args) - 1
    params = body.params[1:]
    found.update(param for param, start in zip(params, eqn.args[1:], strict=True) if start in found)
    while True:
        before = len(found)
        _visit(body, found)
        results = body.results[:carried]
        found.update(param for param, result in zip(params, results, strict=True) if result in found)
        if len(found) == before:
            break
    counted = eqn.args[0] in found
    for k, out in enumerate(eqn.outs):
        if counted or body.results[k] in found or (k < carried and params[k] in found):
            found.add(out)
