"""Shapes and dtypes as sets: which operands a value's shape and dtype are the join of.

In: equations. Out: for each variable an `Extent`. Two values whose shape sets
are equal have equal shapes, because broadcasting is a join: associative,
commutative, idempotent. The same holds of NumPy's dtype promotion.

``t = a + b; u = t * a`` gives `t` and `u` the same extent, {a, b}; nothing
else need be known about `a` and `b`. ``m = max(x, keepdims=True)`` has a shape
of its own that broadcasts to that of `x`, so that ``x - m`` has the extent of `x`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..ir import Atom, Eqn, Extent, Formula, Literal, Size, Var
from ..vocabulary import WORDS

# No variable is called so.
FLOAT64, BOOL = "numpy.float64", "numpy.bool"
_WEAK_VALUES = frozenset({"shape", "ndim", "size", "item", "len", "is_none"})


def own_extent(name: str) -> Extent:
    """The extent of a value of which nothing is known."""
    return Extent(frozenset({Size(name)}), frozenset({name}))


def param_extents(formula: Formula) -> dict[Var, Extent]:
    """Extents of a formula's tensor parameters."""
    own = {var: own_extent(var.name) for var in formula.forward.params if var.kind == "tensor"}
    return own | dict(formula.extents)


def of_formula(extent: Extent, formula: str) -> Extent:
    """The extent under names that no other formula's variables have."""

    def size(one: Size) -> Size:
        return Size(f"{formula}/{one.name}", frozenset(map(size, one.within)))

    dtype = frozenset(name if name in (FLOAT64, BOOL) else f"{formula}/{name}" for name in extent.dtype)
    return Extent(frozenset(map(size, extent.shape)), dtype)


def join(shapes: Iterable[frozenset[Size]]) -> frozenset[Size]:
    """The sizes of what operands of these sizes broadcast to."""
    every = frozenset[Size]().union(*shapes)
    return frozenset(size for size in every if not (size.within and size.within <= every - {size}))


_SCALAR = Extent(frozenset(), frozenset())


def extent_of(atom: Atom, env: Mapping[Var, Extent]) -> Extent:
    """The extent of an operand; Python numbers have none."""
    if isinstance(atom, Literal):
        return Extent(frozenset(), frozenset({FLOAT64}) if atom.strong else frozenset())
    if atom in env:
        return env[atom]
    own = own_extent(atom.name)
    return Extent(frozenset(), own.dtype) if atom.kind == "value" else own


def _keeps_bool(eqn: Eqn) -> bool:
    """Whether boolean operands give a boolean: NumPy widens them under arithmetic with numbers."""
    word = WORDS[eqn.op]
    if word.dtype == "bool" or not word.pointwise:
        return word.dtype == "bool" or word.view
    return word.dtype == "same" and all(
        atom.kind == "tensor" if isinstance(atom, Var) else isinstance(atom.value, bool) for atom in eqn.args
    )


def extents(eqns: Iterable[Eqn], known: Mapping[Var, Extent] | None = None) -> dict[Var, Extent]:
    """Extents of everything the equations define, on top of those known.

    ``like(x)`` carries the extent of `x`, which ``sum_to`` and
    ``broadcast_like`` hand to their results.
    """
    env = dict(known or {})
    for eqn in eqns:
        if not eqn.outs:
            continue
        if eqn.op == "if":
            # Nothing is known of what a branch leaves None.
            env.update(
                (out, own_extent(out.name)) for k, out in enumerate(eqn.outs) if not _one_sided(eqn, k)
            )
            continue
        env[eqn.outs[0]] = _extent(eqn, env)
        for var in eqn.outs[1:]:
            env[var] = own_extent(var.name)
    return env


def _one_sided(eqn: Eqn, place: int) -> bool:
    return any(block.results[place] == Literal(None) for block in eqn.blocks)


def _extent(eqn: Eqn, env: Mapping[Var, Extent]) -> Extent:
    own, word = own_extent(eqn.outs[0].name), WORDS.get(eqn.op)
    parts = [extent_of(atom, env) for atom in eqn.args]
    if eqn.op in ("like", "stop_gradient", "zeros_like", "ones_like", "index_put"):
        return parts[0]
    if eqn.op in ("sum_to", "broadcast_like"):
        like = eqn.kwarg("like")
        return env.get(like, own) if isinstance(like, Var) else own
    if eqn.op in _WEAK_VALUES:
        return _SCALAR
    if word is None:
        return own
    if eqn.outs[0].kind != "tensor":
        shape = frozenset[Size]()
    elif word.pointwise:
        shape = join(part.shape for part in parts)
    else:
        shape = _kept_axes(eqn, parts, own)
    return Extent(shape, _dtype(eqn, parts, own))


def _kept_axes(eqn: Eqn, parts: list[Extent], own: Extent) -> frozenset[Size]:
    """A reduction that keeps its axes broadcasts to its operand."""
    kept = eqn.kwarg("keepdims")
    if isinstance(kept, Literal) and kept.value is True:
        return frozenset({Size(eqn.outs[0].name, parts[0].shape)})
    return own.shape


def _dtype(eqn: Eqn, parts: list[Extent], own: Extent) -> frozenset[str]:
    word = WORDS[eqn.op]
    if word.dtype == "bool":
        return frozenset({BOOL})
    if word.dtype in ("int", "attr"):
        return own.dtype
    read = parts[1:] if eqn.op == "where" else parts
    dtype = frozenset[str]().union(*(part.dtype for part in read))
    if dtype == {BOOL}:
        return dtype if _keeps_bool(eqn) else own.dtype
    return dtype - {BOOL}
