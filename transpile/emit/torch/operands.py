"""Operands that are computed with, told from those that only say where entries are.

In: a formula. Out: its tensor inputs whose numbers meet others. Integers that are indices, conditions, or
compared serve any dtype; PyTorch promotes the others unlike NumPy.
"""

from __future__ import annotations

from ...ir import Atom, Block, Eqn, Formula, Literal, Var
from ...operators import OPERATORS
from ...rewrite import METADATA

# Operators that read an operand for its entries' places, or only ask about it.
_ASKING = METADATA | {"is_none", "equal", "not_equal", "less", "less_equal", "greater", "greater_equal"}
_ASKING |= {"logical_and", "logical_or", "logical_not", "logical_xor", "len"}
_PLACING = frozenset({"getitem", "take_along_axis", "unslice", "put_along", "index_put", "last_written"})
# Operators that make integers of integers alone, of the dtypes that NumPy gives them.
_WHOLE = frozenset({"add", "subtract", "multiply", "floor_divide", "remainder", "maximum", "minimum"})
_WHOLE |= {"negative", "abs", "sign", "clip", "where", "tuple", "item", "stop_gradient", "take_along_axis"}
_FLOATS = ("float", "complex")


def computed_with(formula: Formula) -> list[str]:
    """The names of the tensor inputs that are no indices, conditions or masks.

    >>> from ...library import formula_in
    >>> computed_with(formula_in('''
    ... def chosen(x, places, weights):
    ...     return x[places[0] + 1] * weights
    ... '''))
    ['x', 'weights']
    """
    return [
        p.var.name
        for p in formula.params
        if p.differentiable and p.var.kind == "tensor" and not _is_whole(formula, p.var)
    ]


def _is_whole(formula: Formula, operand: Var) -> bool:
    """True where an operand of integers gives integers, places and truths alone."""
    whole = {operand}
    while True:
        known = len(whole)
        if not _followed(formula.forward, whole):
            return False
        if len(whole) == known:
            return not whole.intersection(formula.forward.results[: formula.results])


def _followed(block: Block, whole: set[Var]) -> bool:
    """Add what is made of these integers; False where they meet numbers that may be none."""
    return all((_controlled if eqn.blocks else _placed)(eqn, whole) for eqn in block.eqns)


def _placed(eqn: Eqn, whole: set[Var]) -> bool:
    read = [k for k, atom in enumerate(eqn.args) if atom in whole]
    if not read:
        return eqn.op in _PLACING or not any(atom in whole for _, atom in eqn.kwargs)
    if eqn.op in _ASKING or (eqn.op == "where" and read == [0]):
        return True
    if eqn.op == "astype":
        dtype = eqn.kwarg("dtype")
        if isinstance(dtype, Literal) and not str(dtype.value).startswith(_FLOATS):
            whole.update(eqn.outs)
        return True
    info = OPERATORS.get(eqn.op)
    if eqn.op not in _WHOLE and not (info is not None and info.view):
        return False
    counted = eqn.args[1:] if eqn.op == "where" else eqn.args
    if eqn.op != "tuple" and not all(atom in whole or _is_count(atom) for atom in counted):
        return False
    whole.update(eqn.outs)
    return True


def _controlled(eqn: Eqn, whole: set[Var]) -> bool:
    """The same of a branch or a loop; what a loop carries are integers before it and after each iteration."""
    if not all(_followed(block, whole) for block in eqn.blocks):
        return False
    if eqn.op == "if":
        for out, *results in zip(eqn.outs, *(block.results for block in eqn.blocks), strict=True):
            if whole.intersection(results):  # the other one may be left out, or a number
                if not all(atom in whole or _is_count(atom) for atom in results):
                    return False
                whole.add(out)
        return True
    (block,) = eqn.blocks
    return not whole.intersection(eqn.args) and not whole.intersection(block.results)


def _is_count(atom: Atom) -> bool:
    """True for whole numbers, None, and values that are none of a tensor's."""
    if isinstance(atom, Literal):
        return atom.value is None or type(atom.value) is int
    return atom.kind == "value"
