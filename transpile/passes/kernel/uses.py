"""Uses of a tensor: what it must be by what a formula does with it, where nobody has said what it is."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ...ir import Block, Eqn, Var

Asks = Callable[[int], "bool | None"]

# Operators that give positions of positions.
_MOVED = "reshape transpose expand_dims squeeze broadcast_to getitem"
_OF_POSITIONS = frozenset(f"add subtract multiply floor_divide remainder negative {_MOVED}".split())
_LOGIC = frozenset({"logical_and", "logical_or", "logical_not", "invert", "bitwise_and", "bitwise_or"})


def is_mask(var: Var, block: Block) -> bool:
    """True where a tensor is only asked for its truth."""
    uses = [(eqn, i) for eqn in block.eqns for i, atom in enumerate(eqn.args) if atom == var]
    uses = [(eqn, i) for eqn, i in uses if eqn.op not in ("like", "shape", "ndim", "size")]
    return bool(uses) and all(eqn.op in _LOGIC or (eqn.op == "where" and i == 0) for eqn, i in uses)


def is_position(var: Var, block: Block) -> bool:
    """True where a tensor, and what is computed of it, is only an index of others."""
    return _asks_positions(var, block) is True


def _asks_positions(var: Var, block: Block, of_result: Asks | None = None) -> bool | None:
    """True where a block reads a tensor as an index alone; None where it does not read it.

    `of_result` tells it of the block's results by their number, where the block is a side of a condition.
    """
    handed = [k for k, atom in enumerate(block.results) if atom == var]
    said = [of_result(k) if of_result is not None else False for k in handed]
    tuples = {eqn.outs[0] for eqn in block.eqns if eqn.op == "tuple" and var in eqn.args}
    for eqn in block.eqns:
        after = partial(_asks_of_output, eqn, block, of_result) if eqn.op == "if" else None
        said += [_asks_positions(var, inner, after) for inner in eqn.blocks]
        if eqn.op in _OF_POSITIONS and var in eqn.args:
            said.append(_asks_positions(eqn.outs[0], block, of_result) or False)
        elif var in eqn.args and eqn.op not in ("tuple", "like", "shape", "ndim", "size"):
            return False
        named = {name for name, atom in eqn.kwargs if isinstance(atom, Var) and atom in {var, *tuples}}
        said += [name in ("index", "indices") for name in named]
    return False if False in said else True if True in said else None


def _asks_of_output(eqn: Eqn, block: Block, of_result: Asks | None, number: int) -> bool | None:
    """The answer of `_asks_positions` for an output of a condition."""
    return _asks_positions(eqn.outs[number], block, of_result)
