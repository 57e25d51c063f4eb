"""What a tensor must be, by what a formula does with it, where nobody has said what it is."""

from __future__ import annotations

from ...ir import Block, Var

# Operators that give positions of positions.
_MOVED = "reshape transpose expand_dims squeeze broadcast_to getitem"
_OF_POSITIONS = frozenset(f"add subtract multiply floor_divide remainder negative {_MOVED}".split())
_LOGIC = frozenset({"logical_and", "logical_or", "logical_not", "invert", "bitwise_and", "bitwise_or"})


def is_mask(var: Var, block: Block) -> bool:
    """Whether a tensor is only asked for its truth."""
    uses = [(eqn, i) for eqn in block.eqns for i, atom in enumerate(eqn.args) if atom == var]
    uses = [(eqn, i) for eqn, i in uses if eqn.op not in ("like", "shape", "ndim", "size")]
    return bool(uses) and all(eqn.op in _LOGIC or (eqn.op == "where" and i == 0) for eqn, i in uses)


def is_position(var: Var, block: Block) -> bool:
    """Whether a tensor, and what is computed of it, is only an index of others."""
    return _asks_positions(var, block) is True


def _asks_positions(var: Var, block: Block) -> bool | None:
    """Whether a block reads a tensor as an index alone; None where it does not read it."""
    if var in block.results:
        return False
    found = None
    tuples = {eqn.outs[0] for eqn in block.eqns if eqn.op == "tuple" and var in eqn.args}
    for eqn in block.eqns:
        inside = [_asks_positions(var, inner) for inner in eqn.blocks]
        if eqn.op in _OF_POSITIONS and var in eqn.args:
            inside.append(is_position(eqn.outs[0], block))
        elif var in eqn.args and eqn.op not in ("tuple", "like", "shape", "ndim", "size"):
            return False
        named = {name for name, atom in eqn.kwargs if isinstance(atom, Var) and atom in {var, *tuples}}
        if named - {"index", "indices"} or False in inside:
            return False
        if named or True in inside:
            found = True
    return found
