"""Symbolic shapes and dtypes as numbers and names where those behind their variables are known, else None."""

from pullback.transpile.ir.dtypes import CONCRETE, Widened, promote, widen
from pullback.transpile.ir.types import (
    Joined,
    Part,
    Reduced,
    Stacked,
    expanded_shape,
    join_dims,
    join_shapes,
    reduced_shape,
)


def evaluate(shape, known):
    """The numbers of a shape."""
    made = _with_numbers(shape, known)
    whole = isinstance(made, tuple) and all(isinstance(dim, int) for dim in made)
    return made if whole else None


def _with_numbers(shape, known):
    if isinstance(shape, tuple):
        found = [_number(dim, known) for dim in shape]
        return None if None in found else tuple(found)
    parts = [_term(term, known) for term in shape.parts]
    return None if None in parts else join_shapes(parts)


def _term(term, known):
    if isinstance(term, str):
        return known.get(term)
    if isinstance(term, tuple):
        return _with_numbers(term, known)
    if isinstance(term, Part | Stacked) or (inner := _with_numbers(term.of, known)) is None:
        return None
    if isinstance(term, Reduced):
        return reduced_shape(inner, term.axes, term.kept)
    return expanded_shape(inner, term.axis)


def _number(dim, known):
    if isinstance(dim, int):
        return dim
    if isinstance(dim, Joined):
        parts = [_number(part, known) for part in dim.parts]
        return None if None in parts else join_dims(parts)
    name, _, axis = dim.rpartition(".")
    if dim in known:
        return known[dim][0]
    return known[name][int(axis)] if name in known and axis.isdigit() else None


def evaluate_dtype(dtype, known):
    """The name of a dtype."""
    if isinstance(dtype, str):
        return dtype if dtype in CONCRETE else known.get(dtype)
    if isinstance(dtype, Widened):
        inner = evaluate_dtype(dtype.of, known)
        made = None if inner is None else widen(dtype.by, inner)
    else:
        parts = [evaluate_dtype(part, known) for part in dtype.parts]
        made = None if None in parts else promote(parts, dtype.weak)
    return made if isinstance(made, str) else None
