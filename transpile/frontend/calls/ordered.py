"""Calls that arrange entries in column-major order: ``np.reshape(x, shape, order="F")``, ``x.ravel("F")``.

Column-major order is row-major order of the axes in the opposite order.
"""

from __future__ import annotations

import ast

from ...ir import Atom, Literal, Var
from ..state.atoms import atom
from ..state.values import Frame, Items, Value, elements
from ..syntax.fence import refuse
from .arguments import Arguments

# Where the order stands among the positional arguments.
ORDERED = {"numpy.reshape": 2, "numpy.ravel": 1}


def read_ordered(frame: Frame, dotted: str, given: Arguments, name: str | None) -> Value | None:
    """The value of such a call; None for a reshape in row-major order, which is the operator itself."""
    place = ORDERED[dotted]
    positional, keywords = list(given.positional), dict(given.keywords)
    order = keywords.pop("order", None)
    if order is None:
        order = positional.pop() if len(positional) == place + 1 else Literal("C")
    if dotted == "numpy.reshape" and order == Literal("C"):
        del given.positional[place:]
        given.keywords.pop("order", None)
        return None
    span = frame.span(given.node)
    if order not in (Literal("C"), Literal("F")):
        raise refuse("PB404", "the order is 'C' or 'F', written out", span, value="order")
    value = positional.pop(0) if positional else keywords.pop("a", None)
    shape: Value | None = Literal((-1,))
    if dotted == "numpy.reshape":
        shape = positional.pop(0) if positional else keywords.pop("shape", keywords.pop("newshape", None))
    if value is None or shape is None or positional or keywords:
        raise refuse("PB404", f"`{dotted}` takes an array, a shape and an order here", span, value=dotted)
    source = atom(frame, value, given.node)
    if order == Literal("C"):
        return frame.build.emit("reshape", (source,), span, kwargs=(("shape", Literal((-1,))),), name=name)
    turned = frame.build.emit("transpose", (source,), span)
    backwards = (("shape", _reversed(frame, shape, given.node)),)
    shaped = frame.build.emit("reshape", (turned,), span, kwargs=backwards)
    return frame.build.emit("transpose", (shaped,), span, name=name)


def _reversed(frame: Frame, shape: Value, node: ast.Call) -> Atom:
    """A shape from its last length to its first."""
    if isinstance(shape, Literal) and isinstance(shape.value, int):
        return Literal((shape.value,))
    known = elements(shape)
    if known is not None:
        return atom(frame, Items(tuple(reversed(known))), node)
    whole = atom(frame, shape, node)
    if isinstance(whole, Var) and whole in frame.build.numbers:
        return whole
    span = frame.span(node)
    step = frame.build.emit("slice", (Literal(None), Literal(None), Literal(-1)), span, kind="value")
    return frame.build.metadata("item", (whole, step), span)
