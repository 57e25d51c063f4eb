"""The cost of saving a value and of computing it again, in bytes moved per element.

A fused kernel that runs out of cache waits for memory: a float32 that is written
in the forward and read in the backward costs 8 bytes. Arithmetic beside it is
nearly free; what a transcendental function costs is given in the bytes that one
core moves in its time (at 25 GB/s: 0.35 ns for an exponential is 9 bytes, of which
about half hides behind the loads around it).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import inf

from ..derivatives import Derivatives
from ..ir import Atom, Block, Eqn, Var
from ..operators import OPERATORS

# A float32, read or written once.
MOVE = 4.0
# A boolean.
MOVE_MASK = 1.0
# What is smaller than its operands by a whole axis costs next to nothing to keep.
SMALL = 1e-3

# What gives entries of its operand, or sums of them, where shapes differ.
SAME_ENTRIES = frozenset({"sum_to", "broadcast_like", "expect_like", "gradient_like", "in_place"})
_FREE = frozenset(
    {"like", "shape", "ndim", "size", "dtype", "item", "tuple", "slice", "is_none", "isinstance", "positive"}
)
WORK = {name: operator.cost for name, operator in OPERATORS.items() if operator.cost is not None}
_OTHER_FUNCTION = 40.0


def work(eqn: Eqn, library: Derivatives) -> float:
    """The cost of running an equation again, per element of its result.

    Infinite where it is no work on single elements (a reduction, a product of
    matrices, a loop, an unknown call): such values are saved.
    """
    info = OPERATORS.get(eqn.op)
    if eqn.blocks or eqn.op == "opaque":
        return inf
    if eqn.op in _FREE or (info is not None and info.view):
        return 0.0
    if eqn.op in WORK:
        return WORK[eqn.op]
    formula = library.formula(eqn.op)
    if formula is not None and all(inner.op != eqn.op for inner in formula.forward.eqns):
        return sum(work(inner, library) for inner in formula.forward.eqns)
    return _OTHER_FUNCTION if info is not None and info.pointwise else inf


def broadcast_values(eqns: Sequence[Eqn]) -> set[Var]:
    """Values that meet others over an axis that they don't have, and what is read for them alone.

    In ``x[:, None] - y[None]`` both have fewer elements than the difference.
    """
    views = {out for eqn in eqns if eqn.op == "expand_dims" for out in eqn.outs}
    read = {var for eqn in eqns if eqn.op == "expand_dims" for var in eqn.reads()}
    elsewhere = {var for eqn in eqns if eqn.op != "expand_dims" for var in eqn.reads()}
    return views | (read - elsewhere)


def mask_values(eqns: Iterable[Eqn]) -> set[Var]:
    """Values that are booleans."""
    return {
        out for eqn in eqns for out in eqn.outs if eqn.op in OPERATORS and OPERATORS[eqn.op].dtype == "bool"
    }


def small_values(eqns: Iterable[Eqn], known: Iterable[Var] = ()) -> set[Var]:
    """Values that have fewer elements than the operands, by a reduction or by coming from such ones.

    `known` are some that come from elsewhere.

    >>> from ..library import formula_in
    >>> f = formula_in('''
    ... def f(x):
    ...     m = np.mean(x, axis=-1, keepdims=True)
    ...     c = x - m
    ...     return c * c, lambda grad: 2 * grad * c
    ... ''')
    >>> [var.name for var in small_values(f.forward.eqns)]
    ['m']
    """
    found = set(known)
    for eqn in eqns:
        tensors = [var for var in eqn.reads() if var.kind == "tensor"]
        info = OPERATORS.get(eqn.op)
        if (info is not None and info.kind == "reduction") or (
            tensors and all(var in found for var in tensors) and info is not None
        ):
            found.update(var for var in eqn.outs if var.kind == "tensor")
    return found


def in_memory(block: Block, wanted: frozenset[Atom] = frozenset()) -> set[Atom]:
    """The values that an equation of a block reads as a whole, from memory: no loop over elements fuses it.

    `wanted` are those of its values that are read so outside.
    """
    found: set[Atom] = set(wanted)
    for eqn in reversed(block.eqns):
        info = OPERATORS.get(eqn.op)
        if eqn.op == "if":
            for inner in eqn.blocks:
                results = zip(inner.results, eqn.outs, strict=True)
                found |= in_memory(inner, frozenset(atom for atom, out in results if out in found))
        elif eqn.blocks:
            found.update(var for inner in eqn.blocks for var in inner.free())
        elif info is not None and info.view:
            found.update(var for var in eqn.reads() if found.intersection(eqn.outs))
        elif not _in_a_loop(eqn):
            found.update(eqn.reads())
    return found


def _in_a_loop(eqn: Eqn) -> bool:
    info = OPERATORS.get(eqn.op)
    fused = eqn.op in _FREE or eqn.op in SAME_ENTRIES
    return fused or (info is not None and info.kind in ("pointwise", "reduction"))
