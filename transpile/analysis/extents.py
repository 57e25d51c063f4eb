"""Shapes and dtypes as sets: which operands a value's shape and dtype are the join of.

In: equations. Out: for each variable an `Extent`. Two values whose shape sets
are equal have equal shapes, because broadcasting is a join: associative,
commutative, idempotent. The same holds of NumPy's dtype promotion.

``t = a + b; u = t * a`` gives `t` and `u` the same extent, {a, b}; nothing
else need be known about `a` and `b`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ..ir import Atom, Eqn, Literal, Var
from ..vocabulary import WORDS

_WEAK_VALUES = frozenset({"shape", "ndim", "size", "item", "len", "is_none"})


@dataclass(frozen=True, slots=True)
class Extent:
    """Names whose shapes broadcast, and whose dtypes promote, to this value's."""

    shape: frozenset[str]
    dtype: frozenset[str]


_SCALAR = Extent(frozenset(), frozenset())


def extent_of(atom: Atom, env: Mapping[Var, Extent]) -> Extent:
    """The extent of an operand; Python numbers have none."""
    if isinstance(atom, Literal):
        return Extent(frozenset(), frozenset({"float64"}) if atom.strong else frozenset())
    if atom in env:
        return env[atom]
    own = frozenset({atom.name})
    return Extent(frozenset() if atom.kind == "value" else own, own)


def _keeps_bool(eqn: Eqn) -> bool:
    """Whether boolean operands give a boolean: NumPy widens them under arithmetic with numbers."""
    word = WORDS[eqn.op]
    if word.dtype == "bool" or not word.pointwise:
        return word.dtype == "bool" or word.view
    return word.dtype == "same" and all(isinstance(atom, Var) and atom.kind == "tensor" for atom in eqn.args)


def extents(eqns: Iterable[Eqn], known: Mapping[Var, Extent] | None = None) -> dict[Var, Extent]:
    """Extents of everything the equations define, on top of those known.

    ``like(x)`` carries the extent of `x`, which ``sum_to`` and
    ``broadcast_like`` hand to their results.
    """
    env = dict(known or {})
    for eqn in eqns:
        word = WORDS.get(eqn.op)
        own = frozenset({eqn.outs[0].name})
        parts = [extent_of(atom, env) for atom in eqn.args]
        shape = frozenset().union(*(part.shape for part in parts)) if parts else frozenset()
        dtype = frozenset().union(*(part.dtype for part in parts)) if parts else frozenset()
        if eqn.op in ("like", "stop_gradient"):
            extent = parts[0]
        elif eqn.op in ("sum_to", "broadcast_like"):
            like = eqn.kwarg("like")
            extent = env.get(like, Extent(own, own)) if isinstance(like, Var) else Extent(own, own)
        elif eqn.op in _WEAK_VALUES:
            extent = _SCALAR
        elif word is None:
            extent = Extent(own, own)
        else:
            if eqn.op == "where":
                dtype = parts[1].dtype | parts[2].dtype
            if word.dtype == "bool":
                dtype = frozenset({"bool"})
            elif word.dtype in ("int", "attr"):
                dtype = own
            elif eqn.op in ("zeros_like", "ones_like"):
                shape, dtype = parts[0].shape, parts[0].dtype
            if not word.pointwise and eqn.op not in ("zeros_like", "ones_like"):
                shape = own
            if dtype == {"bool"} and not _keeps_bool(eqn):
                dtype = own
            elif dtype != {"bool"}:
                dtype = dtype - {"bool"}
            extent = Extent(shape if eqn.outs[0].kind == "tensor" else frozenset(), dtype)
        env[eqn.outs[0]] = extent
        for var in eqn.outs[1:]:
            env[var] = Extent(frozenset({var.name}), frozenset({var.name}))
    return env
