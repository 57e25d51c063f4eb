"""Symbolic dtypes: a NumPy dtype by name, the dtype of an input, or what these promote to.

>>> promote(["float32", "int64"])
'float64'
>>> promote(["float32"], "float")
'float32'
>>> print(dtype_text(promote(["x.dtype"], "float")))
promoted(x.dtype, float)
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Literal as OneOf

from ..records import record

Weak = OneOf["", "bool", "int", "float", "complex"]
Widening = OneOf["float", "divide", "arithmetic", "sum", "real", "complex", "special", "number", "inexact"]


@record(frozen=True, slots=True)
class Promoted:
    """The dtype to which these dtypes, and a Python number of the kind `weak`, promote."""

    parts: frozenset[Dtype]
    weak: Weak = ""


@record(frozen=True, slots=True)
class Widened:
    """The dtype of a function's result: `by` is the kind of function, see `widen`."""

    by: Widening
    of: Dtype


# A NumPy dtype by name; any other name is a variable, which has a dot or a wildcard in it.
Dtype = str | Promoted | Widened

_KINDS = ("bool", "uint", "int", "float", "complex")
_BITS = {
    **{f"{kind}{bits}": (kind, bits) for kind in ("uint", "int") for bits in (8, 16, 32, 64)},
    **{f"float{bits}": ("float", bits) for bits in (16, 32, 64)},
    "bool": ("bool", 8),
    "complex64": ("complex", 32),
    "complex128": ("complex", 64),
}
CONCRETE = frozenset(_BITS)
_WEAK = ("", "bool", "int", "float", "complex")


def concrete(name: str) -> str | None:
    """The name of a NumPy dtype as written in a formula, or None for what is none that is known."""
    name = {"bool_": "bool"}.get(name, name)
    return name if name in CONCRETE else None


def promote(parts: Iterable[Dtype], weak: Weak = "") -> Dtype:
    """The dtype to which these dtypes, and a Python number of kind `weak`, promote by NumPy's rules."""
    found: set[Dtype] = set()
    for part in parts:
        if isinstance(part, Promoted) and not part.weak and not weak:
            found |= part.parts
        else:
            found.add(part)
    known = [part for part in found if part in CONCRETE]
    rest = {part for part in found if part not in CONCRETE}
    if known:
        joined = str(known[0])
        for other in known[1:]:
            joined = _pair(joined, str(other))
        if not rest:
            return _with_weak(joined, weak)
        if not (joined == "bool" and not weak):  # a bool changes nothing
            rest.add(joined)
    for part in list(rest):
        if isinstance(part, Promoted) and (part.parts <= rest - {part}):
            rest -= part.parts
        elif isinstance(part, Widened) and part.by == "number":  # of what is no bool, that itself
            rest -= {part.of}
    if weak in ("bool", "int", "float") and any(map(is_inexact, rest)):
        weak = ""
    if len(rest) == 1:
        (only,) = rest
        absorbed = isinstance(only, Promoted) and _WEAK.index(only.weak) >= _WEAK.index(weak)
        if absorbed or weak in ("", "bool"):
            return only
    return Promoted(frozenset(rest), weak)


def _pair(first: str, second: str) -> str:
    (kind, bits), (other, width) = sorted((_BITS[first], _BITS[second]), key=lambda k: _KINDS.index(k[0]))
    if kind == other:
        return _named(kind, max(bits, width))
    if kind == "bool":
        return _named(other, width)
    if other == "int":
        return _named("int", max(width, 2 * bits)) if bits < 64 else "float64"
    if kind in ("int", "uint"):
        bits = min(64, 2 * bits)
    return _named(other, max(bits, width))


def _named(kind: str, bits: int) -> str:
    if kind == "bool":
        return "bool"
    return f"complex{max(64, 2 * bits)}" if kind == "complex" else f"{kind}{bits}"


def _with_weak(dtype: str, weak: Weak) -> str:
    kind, bits = _BITS[dtype]
    if weak == "int" and kind == "bool":
        return "int64"
    if weak == "float" and kind in ("bool", "uint", "int"):
        return "float64"
    if weak == "complex" and kind != "complex":
        return "complex64" if kind == "float" and bits < 64 else "complex128"
    return dtype


def widen(by: Widening, dtype: Dtype) -> Dtype | None:
    """The dtype of a function's result for an operand of this dtype; None where that is not known.

    "float" are the ufuncs of floats, "divide" makes float64 of integers, "arithmetic" an int8 of a
    bool, "sum" an int64 of shorter integers, "real" the real dtype of a complex one, "complex" the
    complex dtype of a real one, "special" are those of SciPy, "number" keeps numbers and says nothing
    of a bool, and "inexact" keeps floats and says nothing of others.
    """
    if dtype not in CONCRETE:
        kept = is_inexact(dtype) and by not in ("real", "complex", "special")
        return dtype if kept or (isinstance(dtype, Widened) and dtype.by == by) else Widened(by, dtype)
    kind, bits = _BITS[str(dtype)]
    whole = kind in ("bool", "uint", "int")
    if by == "float" and whole:
        return _named("float", min(64, 2 * bits)) if bits > 8 else "float16"
    if by == "divide" and whole:
        return "float64"
    if by == "special":
        return (
            dtype
            if kind in ("float", "complex") and bits > 16
            else "float64"
            if bits == 64 and whole
            else None
        )
    if by == "sum" and whole:
        return "uint64" if kind == "uint" else "int64"
    if by == "real" and kind == "complex":
        return f"float{bits}"
    if by == "complex":
        return _named("complex", bits) if kind in ("float", "complex") else "complex128"
    if by == "inexact" and whole:
        return None
    if kind == "bool":
        return {"arithmetic": "int8", "number": None}.get(by, dtype)
    return dtype


def is_inexact(dtype: Dtype) -> bool:
    """True where the dtype is known to be one of floats, or of complex numbers."""
    if isinstance(dtype, str):
        return dtype in CONCRETE and _BITS[dtype][0] in ("float", "complex")
    if isinstance(dtype, Widened):
        return dtype.by in ("float", "divide", "special")
    return dtype.weak in ("float", "complex") or any(map(is_inexact, dtype.parts))


@lru_cache(maxsize=1 << 14)
def among_floats(dtype: Dtype) -> frozenset[str]:
    """The dtypes that promote to this one where those of all arrays are floats, as a gradient's are.

    Then functions and Python numbers change no dtype.

    >>> among_floats(promote([Widened("float", "x.dtype")], "float"))
    frozenset({'x.dtype'})
    """
    if isinstance(dtype, str):
        return frozenset({dtype})
    if isinstance(dtype, Widened):
        return among_floats(dtype.of)
    if len(dtype.parts) == 1:
        (only,) = dtype.parts
        return among_floats(only)
    return frozenset[str]().union(*map(among_floats, dtype.parts)) - {"bool"}


@lru_cache(maxsize=1 << 14)
def is_real_part(dtype: Dtype) -> bool:
    """True for the dtype of what is real where arrays are complex: parts of these, and what those promote to.

    >>> part = Widened("real", "x.dtype")
    >>> is_real_part(part), is_real_part(promote(["x.dtype", part]))
    (True, False)
    """
    if isinstance(dtype, str):
        return dtype in CONCRETE and _BITS[dtype][0] != "complex"
    if isinstance(dtype, Widened):
        return dtype.by == "real" or (dtype.by != "complex" and is_real_part(dtype.of))
    return dtype.weak != "complex" and all(map(is_real_part, dtype.parts))


def kind_among_floats(dtype: Dtype) -> tuple[frozenset[str], bool]:
    """The dtypes of floats that a gradient's is made of, and whether it is that of a real part."""
    return among_floats(dtype), is_real_part(dtype)


# Dtypes that are made of others through so many steps are known among floats alone.
_DEEPEST = 6


@lru_cache(maxsize=1 << 14)
def _depth(dtype: Dtype) -> int:
    if isinstance(dtype, str):
        return 0
    return 1 + max(map(_depth, (dtype.of,) if isinstance(dtype, Widened) else dtype.parts), default=0)


def shallow(dtype: Dtype) -> Dtype | None:
    """The dtype; of one that is made of others through many steps, what it is where all are floats.

    Iterations that are written out would make a dtype each of those of the last one, twice as long.
    None where that is not known.
    """
    return dtype if _depth(dtype) <= _DEEPEST else widen("inexact", promote(among_floats(dtype)))


@lru_cache(maxsize=1 << 14)
def dtype_names(dtype: Dtype) -> frozenset[str]:
    """The variables in a dtype."""
    if isinstance(dtype, str):
        return frozenset() if dtype in CONCRETE else frozenset({dtype})
    if isinstance(dtype, Widened):
        return dtype_names(dtype.of)
    return frozenset[str]().union(*(dtype_names(part) for part in dtype.parts))


def dtype_text(dtype: Dtype) -> str:
    """A dtype for a reader."""
    if isinstance(dtype, str):
        return dtype
    if isinstance(dtype, Widened):
        return f"{dtype.by}({dtype_text(dtype.of)})"
    parts = [*sorted(map(dtype_text, dtype.parts)), *([dtype.weak] if dtype.weak else [])]
    return f"promoted({', '.join(parts)})"
