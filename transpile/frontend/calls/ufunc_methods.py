"""Methods of NumPy's universal functions: ``np.add.reduce(x)``, ``np.multiply.outer(x, y)``.

They are reductions, running sums and operators on axes of their own, by other names. Along which axis they
go where none is named is the first one, not all.
"""

from __future__ import annotations

from ...ir import Atom, Literal, Var
from ...operators import OperatorInfo, by_python
from ..expressions.arithmetic import combine
from ..state.atoms import atom
from ..state.values import Dotted, Frame, Value
from ..syntax.fence import refuse
from .arguments import Arguments
from .operators import bind_operator

_REDUCTIONS = {
    "numpy.add.reduce": "numpy.sum",
    "numpy.multiply.reduce": "numpy.prod",
    "numpy.maximum.reduce": "numpy.max",
    "numpy.minimum.reduce": "numpy.min",
    "numpy.fmax.reduce": "numpy.nanmax",
    "numpy.fmin.reduce": "numpy.nanmin",
    "numpy.logical_and.reduce": "numpy.all",
    "numpy.logical_or.reduce": "numpy.any",
    "numpy.logaddexp.reduce": "scipy.special.logsumexp",
    "numpy.add.accumulate": "numpy.cumsum",
    "numpy.multiply.accumulate": "numpy.cumprod",
    "numpy.maximum.accumulate": "pullback.primitives.cummax",
    "numpy.minimum.accumulate": "pullback.primitives.cummin",
}
_POSITIONAL = ("array", "axis", "dtype", "out", "keepdims")


def as_reduction(frame: Frame, callee: Dotted, given: Arguments) -> tuple[Dotted, Arguments] | None:
    """The function that such a method is, and its arguments; None for any other function."""
    function = _REDUCTIONS.get(callee.name)
    if function is None:
        return None
    named = dict(zip(_POSITIONAL, given.positional, strict=False)) | given.keywords
    if "array" not in named:
        raise refuse("PB404", f"`{callee.text}` lacks its argument `array`", frame.span(given.node))
    array, axis = named.pop("array"), named.pop("axis", Literal(0))
    keywords = {key: value for key, value in named.items() if value != Literal(None)}
    return Dotted(function, callee.text), Arguments(given.node, [array], {"axis": axis, **keywords})


def outer_of(dotted: str) -> OperatorInfo | None:
    """The operator of two operands whose `outer` this is, or None."""
    function, _, method = dotted.rpartition(".")
    info = by_python(function) if method == "outer" else None
    return info if info is not None and info.pointwise and len(info.operands) == 2 else None


def read_outer(frame: Frame, info: OperatorInfo, callee: Dotted, given: Arguments, name: str | None) -> Value:
    """``np.subtract.outer(x, y)``: the axes of `y` stand behind those of `x`."""
    if len(given.positional) != 2 or given.keywords:
        raise refuse("PB404", f"`{callee.text}` takes two arguments", frame.span(given.node))
    first, second = (atom(frame, value, given.node) for value in given.positional)
    if isinstance(first, Var) and isinstance(second, Var):
        first = _with_axes(frame, first, second, given)
    return bind_operator(frame, info, callee.name, given.node, [first, second], {}, name)


def _with_axes(frame: Frame, first: Var, second: Var, given: Arguments) -> Atom:
    """The first operand with an axis of one entry for each of the second."""
    span = frame.span(given.node)
    shape = frame.build.metadata("shape", (first,), span)
    count = frame.build.metadata("ndim", (second,), span)
    ones = combine(frame, "multiply", [Literal((1,)), count], given.node)
    whole = combine(frame, "add", [shape, ones], given.node)
    return frame.build.emit("reshape", (first,), span, kwargs=(("shape", whole),))
