"""Methods of lists and tuples, and the list of an array's elements."""

from __future__ import annotations

import ast

from ...ir import Literal, Var
from ..expressions.templates import read_template
from ..state.atoms import atom
from ..state.growing import append, put_in, take_out
from ..state.values import Frame, Growing, Value
from ..syntax.fence import refuse
from .arguments import Arguments

_LISTED = (
    "if xs.ndim != 1:\n"
    "    raise TypeError('tolist takes an array of one axis in a formula: write list(x) for its rows')\n"
    "found = list(xs)"
)
_PLACE = (
    "found = -1\n"
    "for k in range(len(xs)):\n"
    "    if xs[k] == wanted:\n"
    "        found = k\n"
    "        break\n"
    "if found < 0:\n"
    "    raise ValueError('the value is not in the list')"
)
_COUNT = "found = 0\nfor item in xs:\n    if item == wanted:\n        found = found + 1"


def as_list(frame: Frame, array: Var, node: ast.Call) -> Value:
    """``x.tolist()``."""
    return read_template(frame, _LISTED, {"xs": array}, node)


def read_list_method(frame: Frame, base: Growing | Var, func: ast.Attribute, given: Arguments) -> Value:
    """``xs.append(item)`` and its kin."""
    taken = {"append": (1,), "index": (1,), "count": (1,), "pop": (0, 1), "insert": (2,)}.get(func.attr, ())
    if given.keywords or len(given.positional) not in taken:
        raise refuse(
            "PB402",
            f"`.{func.attr}` of a list is outside of the formula language",
            frame.span(given.node),
            hint="use append",
        )
    if func.attr in ("index", "count"):
        held = {"xs": base, "wanted": given.positional[0]}
        return read_template(frame, _PLACE if func.attr == "index" else _COUNT, held, given.node)
    if isinstance(base, Var) and base in frame.build.tuples:
        raise refuse("PB402", f"a tuple has no `.{func.attr}`", frame.span(given.node))
    if func.attr == "append":
        return append(frame, func, base, given.positional[0], given.node)
    place = atom(frame, given.positional[0] if given.positional else Literal(-1), given.node)
    if func.attr == "insert":
        return put_in(frame, base, place, given.positional[1], given.node)
    return take_out(frame, base, place, given.node)
