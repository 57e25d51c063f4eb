"""Shapes and dtypes as sets: which operands a value's shape and dtype are the join of.

In: equations. Out: for each variable an `Extent`. Two values whose shape sets
are equal have equal shapes, because broadcasting is a join: associative,
commutative, idempotent. The same holds of NumPy's dtype promotion.

``t = a + b; u = t * a`` gives `t` and `u` the same extent, {a, b}; nothing
else need be known about `a` and `b`. ``m = max(x, keepdims=True)`` has a shape
of its own that broadcasts to that of `x`, so that ``x - m`` has the extent of `x`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import replace
from functools import lru_cache
from itertools import zip_longest

from ..ir import Atom, Eqn, Extent, Formula, Literal, Size, Var
from ..operators import NAMED_GRADIENTS, OPERATORS

# No variable is called so.
FLOAT64, BOOL = "numpy.float64", "numpy.bool"
# What may differ among the elements of a list: each that is read gets a name for it.
_ANY = "*"
_WEAK_VALUES = frozenset({"shape", "ndim", "size", "item", "len", "is_none", "range"})


@lru_cache(maxsize=1 << 12)
def own_extent(name: str) -> Extent:
    """The extent of a value of which nothing is known."""
    return Extent(frozenset({Size(name)}), frozenset({name}))


def is_uniform(var: Var, env: Mapping[Var, Extent]) -> bool:
    """True where all elements of a list are known to have one shape."""
    return var in env and all(size.name != _ANY for size in env[var].shape)


def param_extents(formula: Formula) -> dict[Var, Extent]:
    """Extents of a formula's tensor parameters."""
    own = {var: own_extent(var.name) for var in formula.forward.params if var.kind == "tensor"}
    return own | dict(formula.extents)


def of_formula(known: Mapping[Var, Extent], formula: str) -> dict[Var, Extent]:
    """Extents under names that no other formula's variables have."""

    def size(one: Size) -> Size:
        each = None if one.each is None else frozenset(map(size, one.each))
        name = one.name if one.name == _ANY else f"{formula}/{one.name}"
        return Size(name, frozenset(map(size, one.within)), each)

    shared = (FLOAT64, BOOL, _ANY)
    found: dict[int, Extent] = {}  # many variables have the same one
    for extent in known.values():
        if id(extent) not in found:
            dtype = frozenset([name if name in shared else f"{formula}/{name}" for name in extent.dtype])
            shape = frozenset(map(size, extent.shape))
            found[id(extent)] = Extent(shape, dtype, extent.optional, extent.count)
    return {var: found[id(extent)] for var, extent in known.items()}


_NO_SIZES: frozenset[Size] = frozenset()
_NO_DTYPES: frozenset[str] = frozenset()


def join(shapes: Iterable[frozenset[Size]]) -> frozenset[Size]:
    """The sizes of what operands of these sizes broadcast to."""
    every = _NO_SIZES.union(*shapes)
    if len(every) < 2:
        return every
    held = {size for size in every if size.within and size.within <= every - {size}}
    return every - held if held else every


_SCALAR = Extent(frozenset(), frozenset())
_STRONG = Extent(frozenset(), frozenset({FLOAT64}))
# The elements of a list of which nothing is known.
_VARIOUS = Extent(frozenset({Size(_ANY)}), frozenset({_ANY}))


def extent_of(atom: Atom, env: Mapping[Var, Extent]) -> Extent:
    """The extent of an operand; Python numbers have none."""
    if isinstance(atom, Literal):
        return _STRONG if atom.strong else _SCALAR
    if atom in env:
        return env[atom]
    if atom.kind == "list":
        return _VARIOUS
    own = own_extent(atom.name)
    return Extent(frozenset(), own.dtype) if atom.kind == "value" else own


def _keeps_bool(eqn: Eqn) -> bool:
    """True where boolean operands give a boolean: NumPy widens them under arithmetic with numbers."""
    info = OPERATORS[eqn.op]
    if info.dtype == "bool" or not info.pointwise:
        return info.dtype == "bool" or info.view
    return info.dtype == "same" and all(
        atom.kind == "tensor" if isinstance(atom, Var) else isinstance(atom.value, bool) for atom in eqn.args
    )


def extents(eqns: Iterable[Eqn], known: Mapping[Var, Extent] | None = None) -> dict[Var, Extent]:
    """Extents of everything the equations define, on top of those known.

    ``like(x)`` carries the extent of `x`, which ``sum_to`` and
    ``broadcast_like`` hand to their results.
    """
    env = dict(known or {})
    for eqn in eqns:
        add_extents(eqn, env)
    return env


def known_extents(formula: Formula) -> dict[Var, Extent]:
    """Extents of the forward's values and of the cotangents, which have those of their results.

    Under names of the formula's, for a pullback may use a name of the forward for another value.
    """
    known = of_formula(extents(formula.forward.eqns, param_extents(formula)), formula.name)
    outputs = formula.forward.results[: formula.results + len(formula.hidden)]
    for cotangent, output in zip(formula.cotangents, outputs, strict=False):
        known[cotangent] = extent_of(output, known)
    return known


def add_extents(eqn: Eqn, env: dict[Var, Extent]) -> None:
    """Extents of what one equation defines, into `env`."""
    if not eqn.outs:
        return
    if eqn.op == "if":
        env.update(_of_branches(eqn, env))
    elif eqn.op == "for":
        env.update(_of_loop(eqn, env))
    elif eqn.op in NAMED_GRADIENTS.values():
        env.update(zip(eqn.outs, (extent_of(atom, env) for atom in eqn.args[1:]), strict=True))
    else:
        env[eqn.outs[0]] = _extent(eqn, env)
        for var in eqn.outs[1:]:
            env[var] = own_extent(var.name)


def of_iteration(eqn: Eqn, env: Mapping[Var, Extent]) -> dict[Var, Extent]:
    """Extents of a loop body's parameters: those of the start, where every iteration leaves them as they are.

    ``y = np.sin(y) * x`` keeps the extent of `y` where that is `x`, or has `x` among its sizes.
    """
    return _iteration(eqn, env)[0]


def _iteration(eqn: Eqn, env: Mapping[Var, Extent]) -> tuple[dict[Var, Extent], dict[Var, Extent]]:
    """Extents of what a loop's body is given, and of everything inside."""
    (body,) = eqn.blocks
    start = dict(zip(body.params[1:], eqn.args[1:], strict=True))
    same = {p: extent_of(a, env) for p, a in start.items() if p.kind == "tensor" and isinstance(a, Var)}
    own = {p: own_extent(p.name) for p in body.params if p.kind == "tensor"}
    if body.params[0].kind == "value":
        own[body.params[0]] = _SCALAR
    while True:
        given = own | same
        inside = extents(body.eqns, {**env, **given})
        turned = dict(zip(body.params[1:], body.results, strict=False))
        changed = [param for param in same if extent_of(turned[param], inside) != same[param]]
        if not changed:
            return given, inside
        for param in changed:
            del same[param]


def _of_loop(eqn: Eqn, env: Mapping[Var, Extent]) -> dict[Var, Extent]:
    """Extents of a loop's outputs: of a list, that of each of its elements, where they are all of one."""
    (body,) = eqn.blocks
    iteration, inside = _iteration(eqn, env)
    count = "" if eqn.kwarg("until") is not None else str(eqn.args[0])
    names = {var.name for var in body.bound()}
    found = {}
    for out, atom, param in zip_longest(eqn.outs, body.results, body.params[1:]):
        extent = extent_of(atom, inside)
        shape = frozenset(_in_list(size, names) for size in extent.shape)
        differs = param is not None and iteration.get(param) != extent
        varies = any(size.names() & names for size in shape) or extent.dtype & names
        if param is None:
            extent = replace(_VARIOUS, count=count) if varies else Extent(shape, extent.dtype, count=count)
        elif differs or varies:
            extent = own_extent(out.name)
        if param is not None or out.kind == "list" or (isinstance(atom, Var) and atom in inside):
            found[out] = extent
    return found


def _in_list(size: Size, names: Set[str]) -> Size:
    """The size of something in an iteration as that of a list's elements: stacks may differ in length."""
    return replace(size, name=_ANY) if size.each is not None and size.name in names else size


def _element(values: Extent, name: str) -> Extent:
    """The extent of one element of a list that has this extent."""
    shape = frozenset(replace(size, name=name) if size.name == _ANY else size for size in values.shape)
    return Extent(shape, frozenset(name if each == _ANY else each for each in values.dtype))


def _of_branches(eqn: Eqn, env: Mapping[Var, Extent]) -> dict[Var, Extent]:
    """Extents of what both branches give, or the one that does not leave it None."""
    sides = [extents(block.eqns, env) for block in eqn.blocks]
    found = {}
    for place, out in enumerate(eqn.outs):
        given = [
            extent_of(block.results[place], side)
            for block, side in zip(eqn.blocks, sides, strict=True)
            if block.results[place] != Literal(None)
        ]
        if out.kind == "list" or not given:
            continue
        known = given[0] if given[0] == given[-1] else own_extent(out.name)
        optional = len(given) == 1 or any(extent.optional for extent in given)
        found[out] = replace(known, optional=optional)
    return found


def _extent(eqn: Eqn, env: Mapping[Var, Extent]) -> Extent:
    own, info = own_extent(eqn.outs[0].name), OPERATORS.get(eqn.op)
    if eqn.outs[0].kind == "list":
        likes = eqn.kwarg("likes")
        return env.get(likes, _VARIOUS) if isinstance(likes, Var) else _VARIOUS
    parts = [extent_of(atom, env) for atom in eqn.args]
    if info is not None and info.pointwise and eqn.outs[0].kind == "tensor" and eqn.op != "stop_gradient":
        return Extent(join([part.shape for part in parts]), _dtype(eqn, parts, own))
    if eqn.op in ("like", "stop_gradient", "zeros_like", "ones_like", "index_put"):
        return parts[0]
    if eqn.op == "list":
        return _VARIOUS  # what arrays of any shapes are like, each
    if eqn.op == "unpacked":
        return env.get(eqn.outs[0], own)
    if eqn.op in ("sum_to", "broadcast_like", "expect_like"):
        like = eqn.kwarg("like")
        return env.get(like, own) if isinstance(like, Var) else own
    if eqn.op == "shape":
        return Extent(parts[0].shape, frozenset())
    if eqn.op in ("reshape", "broadcast_to", "unslice", "unflatten_axes"):
        return Extent(_of_shape(eqn.kwarg("shape"), env) or own.shape, _dtype(eqn, parts, own))
    if eqn.op == "item" and parts[0].dtype:
        # Of a list of which nothing is known this may be anything: a number, or the shape of an array.
        known = eqn.args[0] in env and parts[0] != own_extent(str(eqn.args[0]))
        return _element(parts[0], eqn.outs[0].name) if known else own
    if eqn.op in _WEAK_VALUES:
        return own if eqn.outs[0].kind == "tensor" else _SCALAR
    if info is None:
        return own
    if eqn.op == "collect" and eqn.args[0] in env:
        each = _element(parts[0], str(eqn.args[0]))
        return Extent(frozenset({Size(parts[0].count or eqn.outs[0].name, each=each.shape)}), each.dtype)
    if eqn.op == "getitem" and len(parts[0].shape) == 1 and _is_number(eqn.kwarg("index"), env):
        (whole,) = parts[0].shape
        return own if whole.each is None else Extent(whole.each, parts[0].dtype)
    if eqn.outs[0].kind != "tensor":
        if not info.infix:
            return Extent(frozenset(), own.dtype)  # NumPy's functions of numbers widen what they meet
        shape = frozenset[Size]()
    else:
        shape = _kept_axes(eqn, parts, own)
    return Extent(shape, _dtype(eqn, parts, own))


def _is_number(index: Atom | None, env: Mapping[Var, Extent]) -> bool:
    """True where an index is one position, as a loop's iteration is."""
    if isinstance(index, Var):
        return index.kind == "value" and env.get(index) == _SCALAR
    return isinstance(index, Literal) and type(index.value) is int


def _of_shape(shape: Atom | None, env: Mapping[Var, Extent]) -> frozenset[Size]:
    """The sizes of what has this shape, where it is that of another value; none where it is not known."""
    return env[shape].shape if isinstance(shape, Var) and shape in env else frozenset()


_REDUCTIONS = frozenset({"sum", "mean", "prod", "max", "min", "var", "std", "logsumexp", "norm"})


def _kept_axes(eqn: Eqn, parts: list[Extent], own: Extent) -> frozenset[Size]:
    """Broadcasts to its operand where it keeps axes or goes over the first; over all axes it leaves none."""
    kept, axis = eqn.kwarg("keepdims") or Literal(False), eqn.kwarg("axis") or Literal(None)
    drops = eqn.op in _REDUCTIONS and kept == Literal(False)
    if drops and axis == Literal(None):
        return frozenset()
    if kept == Literal(True) or (drops and axis == Literal(0)):
        return frozenset({Size(eqn.outs[0].name, parts[0].shape)})
    return own.shape


def _dtype(eqn: Eqn, parts: list[Extent], own: Extent) -> frozenset[str]:
    info = OPERATORS[eqn.op]
    if info.dtype == "bool":
        return frozenset({BOOL})
    if info.dtype in ("int", "attr"):
        return own.dtype
    read = parts[1:] if eqn.op == "where" else parts
    dtype = _NO_DTYPES.union(*[part.dtype for part in read])
    if BOOL not in dtype:
        return dtype
    if len(dtype) == 1:
        return dtype if _keeps_bool(eqn) else own.dtype
    return dtype - {BOOL}
