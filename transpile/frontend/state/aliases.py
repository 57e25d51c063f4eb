"""Values that may be the same memory, while a formula is read."""

from __future__ import annotations

from collections.abc import Callable, Container

from ...analysis.numbers import ALWAYS_ARRAY
from ...ir import Atom, Eqn, Literal, Var
from ...operators import OPERATORS
from .builder import Builder
from .whole import is_whole

# What may give its operand, or a view of it.
_SAME_MEMORY = frozenset({"opaque", "item", "list", "stop_gradient", "real", "imag"})
# What makes an array of a shape that it is given.
_OF_SHAPE = frozenset({"zeros", "ones", "empty", "full"})


def roots(build: Builder, var: Var, among: Callable[[Var], bool] = lambda var: True) -> set[Var]:
    """The variables whose memory this one may share: itself, and what it is a view of.

    With `among`, those that are reached through such variables alone.
    """
    found: set[Var] = set()
    queue = [var]
    while queue:
        here = queue.pop()
        if here in found or not among(here):
            continue
        found.add(here)
        queue += build.sources.get(here, ())
        eqn = build.made.get(here)
        if eqn is not None:
            queue += [atom for atom in _sources(build, eqn, here) if isinstance(atom, Var)]
    return found


def share(build: Builder, one: Var, other: Var, beside: Container[Var] = ()) -> bool:
    """True where two variables may share memory, beside that of certain variables.

    What a branch leaves in them is compared side by side, and so is what a loop does: it may exchange arrays.
    """
    eqn = build.made.get(one)
    if one is not other and eqn is not None and eqn is build.made.get(other) and eqn.op in ("if", "for"):
        places = eqn.outs.index(one), eqn.outs.index(other)
        if eqn.op == "if" or max(places) < len(eqn.args) - 1:
            ways = [block.results for block in eqn.blocks] + [eqn.args[1:]] * (eqn.op == "for")
            pairs = [(way[places[0]], way[places[1]]) for way in ways]
            return any(
                isinstance(a, Var) and isinstance(b, Var) and share(build, a, b, beside) for a, b in pairs
            )
    shared = roots(build, one) & roots(build, other)
    return any(var.kind != "value" and var not in beside for var in shared)


def _sources(build: Builder, eqn: Eqn, out: Var) -> tuple[Atom, ...]:
    """The operands that an equation's output may share memory with."""
    if eqn.op in ("if", "for"):
        place = eqn.outs.index(out)
        inside = tuple(block.results[place] for block in eqn.blocks)
        return (*inside, *eqn.args[place + 1 : place + 2]) if eqn.op == "for" else inside
    info = OPERATORS.get(eqn.op)
    if eqn.op == "getitem":
        copied = isinstance(index := eqn.kwarg("index"), Var) and index in build.arrays
        return () if copied or _is_entry(build, eqn) else eqn.args[:1]
    if eqn.op in _SAME_MEMORY or (info is not None and info.view):
        return eqn.args
    return ()


def items_of(build: Builder, held: Var) -> set[Var]:
    """The arrays in a list that is a variable, as far as they are known."""
    found: set[Var] = set()
    queue, seen = [held], set[Var]()
    while queue:
        here = queue.pop()
        if here in seen:
            continue
        seen.add(here)
        if here.kind == "tensor":
            found.add(here)
            continue
        queue += build.sources.get(here, ())
        eqn = build.made.get(here)
        if eqn is not None and eqn.op in ("list", "appended", "if", "for"):
            sources = eqn.args if eqn.op in ("list", "appended") else _sources(build, eqn, here)
            queue += [atom for atom in sources if isinstance(atom, Var)]
    return found


def is_number(build: Builder, var: Var, surely: bool = False) -> bool:
    """True where a value is computed as numbers are: an entry, a sum of all, what is made of such.

    ``x[0]`` is taken for an entry where nothing says that `x` has more axes, but not `surely`.
    """
    queue, seen = [var], set[Var]()
    while queue:
        here = queue.pop()
        if here in seen or here.kind == "value":
            continue
        seen.add(here)
        eqn = build.made.get(here)
        if here in build.inputs or (eqn is None and here not in build.sources):
            return False
        queue += build.sources.get(here, ())
        made_of = None if eqn is None else _made_of(build, eqn, here, surely)
        if eqn is not None and made_of is None:
            return False
        queue += [atom for atom in made_of or () if isinstance(atom, Var)]
    return True


def _made_of(build: Builder, eqn: Eqn, out: Var, surely: bool) -> tuple[Atom, ...] | None:
    """The operands that have to be numbers for this one to be one; None where it is an array."""
    if eqn.op in ("if", "for"):
        return _sources(build, eqn, out)
    info = OPERATORS.get(eqn.op)
    if eqn.op == "getitem":
        parts = _parts(build, eqn.kwarg("index"))
        base = eqn.args[0]
        known: set[int | None] = ranks(build, base) if isinstance(base, Var) else {None}
        fits = known == {len(parts)} if surely else not known.isdisjoint({None, len(parts)})
        return () if fits and names_an_entry(build, eqn.kwarg("index")) else None
    if info is not None and info.kind == "reduction":
        axis, keeps = eqn.kwarg("axis"), eqn.kwarg("keepdims")
        return () if axis in (None, Literal(None)) and keeps in (None, Literal(False)) else None
    if eqn.op in ("item", "in_place") or (info is not None and info.pointwise and eqn.op not in ALWAYS_ARRAY):
        return eqn.args[:1] if eqn.op == "in_place" else eqn.args
    return None


def names_an_entry(build: Builder, index: Atom | None) -> bool:
    """True for an index of whole numbers alone: of as many axes as it has parts, it gives a number."""
    return all(_is_position(build, part) for part in _parts(build, index))


def _parts(build: Builder, index: Atom | None) -> tuple[object, ...]:
    """The parts of an index, one for each axis that it names."""
    made = build.made.get(index) if isinstance(index, Var) else None
    if made is not None and made.op == "tuple":
        return made.args
    return index.value if isinstance(index, Literal) and isinstance(index.value, tuple) else (index,)


def _is_entry(build: Builder, eqn: Eqn) -> bool:
    """True where an index names one entry of an array whose number of axes is known: a number, no view."""
    parts = _parts(build, eqn.kwarg("index"))
    base = eqn.args[0]
    whole = all(_is_position(build, part) and _is_integer(build, part) for part in parts)
    return whole and isinstance(base, Var) and ranks(build, base) == {len(parts)}


def _is_integer(build: Builder, part: object) -> bool:
    """True for what is known to be a whole number: an attribute may be a slice."""
    return is_whole(build, part) if isinstance(part, Var | Literal) else isinstance(part, int)


def ranks(build: Builder, array: Var) -> set[int | None]:
    """The numbers of axes that an array may have, as far as the call that made it says; None for any."""
    found: set[int | None] = set()
    queue, seen = [array], set[Var]()
    while queue:
        here = queue.pop()
        if here in seen:
            continue
        seen.add(here)
        eqn = build.made.get(here)
        if eqn is not None and eqn.op in _OF_SHAPE:
            found.add(_count_of_axes(build, eqn.kwarg("shape") or next(iter(eqn.args), None)))
        elif eqn is not None and eqn.op in ("index_put", "in_place", "if", "for"):
            sources = _sources(build, eqn, here)
            if eqn.op in ("index_put", "in_place"):
                sources = eqn.args[-1:] if eqn.op == "in_place" else eqn.args[:1]
            known = [atom for atom in sources if isinstance(atom, Var)]
            found |= {None} if len(known) < len(sources) else set()
            queue += known
        elif here in build.sources:
            queue += build.sources[here]
            found |= set() if build.sources[here] else {None}
        else:
            found.add(None)
    return found


def _count_of_axes(build: Builder, shape: Atom | None) -> int | None:
    """The length of a shape that is written out."""
    made = build.made.get(shape) if isinstance(shape, Var) else None
    if made is not None and made.op == "tuple":
        return len(made.args)
    value = shape.value if isinstance(shape, Literal) else None
    if isinstance(value, tuple):
        return len(value)
    return 1 if shape is not None and is_whole(build, shape) else None


def _is_position(build: Builder, part: object) -> bool:
    """True for a part of an index that is one whole number."""
    if isinstance(part, Literal):
        part = part.value
    if isinstance(part, Var):
        made = build.made.get(part)
        return part.kind == "value" and part not in build.arrays and (made is None or made.op != "slice")
    return isinstance(part, int) and not isinstance(part, bool)
