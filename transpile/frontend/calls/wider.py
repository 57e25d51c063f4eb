"""Calls of operators with arguments that NumPy's functions take besides: other operators around them."""

from __future__ import annotations

from collections.abc import Callable

from ...ir import Atom, Literal, Var
from ...operators import OPERATORS, by_python
from ..expressions.arithmetic import combine
from ..expressions.branches import choose
from ..state.atoms import atom, keyword_atom
from ..state.values import Dotted, Frame, Value, elements
from ..syntax.fence import refuse
from .arguments import Arguments
from .composites import composite_of, read_composite
from .operators import bind_operator

Read = Callable[[Frame, Dotted, Arguments, str | None], Value | None]
_SWAPPED = (("axis1", Literal(-1)), ("axis2", Literal(-2)))


def read_wider(frame: Frame, callee: Dotted, given: Arguments, name: str | None) -> Value | None:
    """The value of such a call; None where it is read as any call of the operator, as `given` is left."""
    info = by_python(callee.name)
    read = _WIDER.get(info.name) if info is not None else None
    return read(frame, callee, given, name) if read is not None else None


def _operand(frame: Frame, callee: Dotted, given: Arguments) -> Atom:
    """The array that such a function is called with."""
    first = OPERATORS[_operator(callee)].operands[0]
    value = given.positional[0] if given.positional else given.keywords.get(first)
    if value is None:
        raise refuse("PB404", f"`{callee.text}` lacks its argument `{first}`", frame.span(given.node))
    return atom(frame, value, given.node)


def _operator(callee: Dotted) -> str:
    info = by_python(callee.name)
    assert info is not None
    return info.name


def _in_dtype(frame: Frame, callee: Dotted, given: Arguments, name: str | None) -> Value | None:
    """``np.sum(x, dtype=...)``: of the operand in this dtype."""
    value = given.keywords.pop("dtype", None)
    if value is None and len(given.positional) > 2:
        value, given.positional[2] = given.positional[2], Literal(None)
    if value is None or value == Literal(None):
        return None
    dtype = keyword_atom(frame, "dtype", value, given.node)
    if isinstance(dtype, Literal) and not isinstance(dtype.value, str):
        raise refuse(
            "PB404",
            f"the dtype of `{callee.text}` is {dtype.value!r}, which is no dtype",
            frame.span(given.node),
            value="dtype",
            hint="pass the argument that you mean by its name",
        )
    operand = _operand(frame, callee, given)
    given.keywords.pop(OPERATORS[_operator(callee)].operands[0], None)
    cast = frame.build.emit("astype", (operand,), frame.span(given.node), kwargs=(("dtype", dtype),))
    given.positional[:1] = [cast]
    return None


def _sorted(frame: Frame, callee: Dotted, given: Arguments, name: str | None) -> Value | None:
    """``np.sort(x, None)`` is that of all entries; how it is sorted makes no difference."""
    for key in ("kind", "stable"):
        given.keywords.pop(key, None)
    if len(given.positional) == 3:
        del given.positional[2]
    return _in_one_line(frame, callee, given, name)


def _in_one_line(frame: Frame, callee: Dotted, given: Arguments, name: str | None) -> Value | None:
    """``np.argsort(x, None)``: along the line of all entries."""
    info = OPERATORS[_operator(callee)]
    place = [*info.operands, *info.attrs].index("axis")
    axis = given.positional[place] if len(given.positional) > place else given.keywords.get("axis")
    if axis != Literal(None):
        return None
    operand = _operand(frame, callee, given)
    given.keywords.pop(info.operands[0], None)
    flat = (("shape", Literal((-1,))),)
    given.positional[:1] = [frame.build.emit("reshape", (operand,), frame.span(given.node), kwargs=flat)]
    del given.positional[place:]
    given.keywords["axis"] = Literal(0)
    return None


def _cholesky(frame: Frame, callee: Dotted, given: Arguments, name: str | None) -> Value | None:
    """``np.linalg.cholesky(x, upper=True)`` reads the upper triangle, and is the factor turned over."""
    if given.keywords.pop("upper", Literal(False)) == Literal(False):
        return None
    span = frame.span(given.node)
    operand = frame.build.emit("swapaxes", (_operand(frame, callee, given),), span, kwargs=_SWAPPED)
    factor = bind_operator(frame, OPERATORS["cholesky"], callee.name, given.node, [operand], {}, None)
    assert isinstance(factor, Var)
    return frame.build.emit("swapaxes", (factor,), span, kwargs=_SWAPPED, name=name)


def _matrix_norm(frame: Frame, callee: Dotted, given: Arguments, name: str | None) -> Value | None:
    """``np.linalg.norm(x, "nuc")``: of matrices, where there are two axes."""
    names = ("x", "ord", "axis", "keepdims")
    named = dict(zip(names, given.positional, strict=False)) | given.keywords
    order, axis, keepdims = (named.get(key, Literal(None)) for key in names[1:])
    axes = elements(axis)
    if not isinstance(order, Literal) or order.value in (None, "fro"):
        return None
    if axes is None and axis != Literal(None):
        return None
    if axes is not None and len(axes) != 2:
        return None
    operand, span = _operand(frame, callee, given), frame.span(given.node)
    if not isinstance(operand, Var):
        return None
    places = atom(frame, axis, given.node) if axes is not None else Literal((0, 1))

    def of_matrices() -> Value:
        moves = (("source", places), ("destination", Literal((-2, -1))))
        moved = frame.build.emit("moveaxis", (operand,), span, kwargs=moves)
        function = Dotted("numpy.linalg.matrix_norm", callee.text)
        composite = composite_of(frame, function.name, given.node)
        assert composite is not None
        arguments = Arguments(given.node, [moved], {"ord": order})
        found = atom(frame, read_composite(frame, composite, arguments, None, function), given.node)
        if keepdims in (Literal(None), Literal(False)):
            return found
        return frame.build.emit("expand_dims", (found,), span, kwargs=(("axis", places),))

    def of_vectors() -> Value:
        given_here = {"ord": order, "axis": axis, "keepdims": Literal(keepdims == Literal(True))}
        return bind_operator(frame, OPERATORS["norm"], callee.name, given.node, [operand], given_here, None)

    if axes is not None:
        return of_matrices()
    rank = frame.build.metadata("ndim", (operand,), span)
    test = combine(frame, "equal", [rank, Literal(2)], given.node)
    return choose(frame, test, of_matrices, of_vectors, given.node, name)


def _made_like(frame: Frame, callee: Dotted, given: Arguments, name: str | None) -> Value | None:
    """``np.zeros_like(x, dtype=...)``: an array of numbers of the operand's shape, in this dtype."""
    op = _operator(callee)
    filled = 2 if op == "full_like" else 1
    if len(given.positional) == filled + 1:
        given.keywords.setdefault("dtype", given.positional.pop())
    dtype, shape = (given.keywords.pop(key, Literal(None)) for key in ("dtype", "shape"))
    if dtype == shape == Literal(None):
        return None
    operand, span = _operand(frame, callee, given), frame.span(given.node)
    if dtype == Literal(None):
        dtype = frame.build.metadata("dtype", (operand,), span)
    if shape == Literal(None):
        shape = frame.build.metadata("shape", (operand,), span)
    others = {key: value for key, value in given.keywords.items() if key not in ("a", "subok", "order")}
    made = OPERATORS[op.removesuffix("_like")]
    arguments = [shape, *given.positional[1:]]
    return bind_operator(frame, made, callee.name, given.node, arguments, {**others, "dtype": dtype}, name)


_WIDER: dict[str, Read] = {
    **dict.fromkeys(("sum", "prod", "mean", "var", "std", "cumsum", "cumprod"), _in_dtype),
    **dict.fromkeys(("zeros_like", "ones_like", "full_like"), _made_like),
    "sort": _sorted,
    **dict.fromkeys(("argsort", "take_along_axis"), _in_one_line),
    "cholesky": _cholesky,
    "norm": _matrix_norm,
}
