"""Calls of Python's own functions of numbers and tuples, and of NumPy's number types."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import partial

from ...ir import Atom, Kind, Literal, Var
from ...operators import VALUE_CALLS
from ..expressions.arithmetic import arithmetic, combine
from ..expressions.branches import choose
from ..expressions.dictionaries import of_entries
from ..expressions.formatted import formatted
from ..expressions.list_parts import list_of_places
from ..state.atoms import atom
from ..state.kinds import check_number
from ..state.values import (
    Callee,
    Choice,
    Dotted,
    Frame,
    Function,
    Items,
    Keyed,
    Value,
    elements,
    is_value,
    iterated,
)
from ..syntax.fence import refuse
from ..syntax.folding import fold_call
from .arguments import Arguments
from .loops_of_calls import as_loop
from .sequences import of_known

# Iterations of a loop of a known number; a longer one stays a loop.
_WRITTEN_OUT = 256
DTYPE_CALLS = frozenset({"numpy.float16", "numpy.float32", "numpy.float64", "numpy.int32", "numpy.int64"})


def call_python(
    frame: Frame, callee: Dotted, given: Arguments, name: str | None, of_values: bool
) -> Value | None:
    """The value of ``sum``, ``zip``, ``max``, ``len``, ``math.sqrt`` and the like; None for another function.

    `of_values` says that all positional arguments are numbers.
    """
    node = given.node
    first = given.positional[0] if len(given.positional) == 1 and not given.keywords else None
    if callee.name == "list" and isinstance(first, Var) and first.kind in ("tensor", "list"):
        return list_of_places(frame, first, "k", "len(xs)", node)
    if callee.name == "list" and isinstance(first, Var) and first in frame.build.tuples:
        return _listed(frame, first, node, name)
    if callee.name == "dict" and (not given.positional or _of_dictionary(given)):
        return of_entries(_entries(given))
    if callee.name == "callable" and first is not None:
        return Literal(isinstance(first, Function | Choice | Callee | Dotted))
    add = partial(_sum, frame, given)
    if (found := as_loop(frame, callee.name, given)) is not None:
        return found
    if (found := of_known(frame, callee.name, given, add)) is not None:
        return found
    if callee.name in ("min", "max") and not given.keywords:
        compared = elements(first) if first is not None else given.positional
        if compared and all(_is_number_or_array(value) for value in compared):
            return _extreme(frame, callee.name, compared, given.node, name)
    if callee.name == "divmod" and of_values and len(given.positional) == 2 and not given.keywords:
        left, right = given.positional
        return Items(tuple(arithmetic(frame, op, left, right, node) for op in ("floor_divide", "remainder")))
    if callee.name == "str" and of_values and isinstance(first, Var):
        return formatted(frame, "{}", [first], node, name)
    if of_values and (folded := _folded(callee.name, given)) is not None:
        return folded
    return _of_values(frame, callee, given, name)


def _listed(frame: Frame, numbers: Var, node: ast.Call, name: str | None) -> Var:
    """The list of a tuple of numbers: the tuple, which an index takes for an array."""
    every = frame.build.emit("slice", [Literal(None)] * 3, frame.span(node), kind="value")
    found = frame.build.metadata("item", (numbers, every), frame.span(node), name)
    frame.build.listed_numbers.add(found)
    return found


def _of_dictionary(given: Arguments) -> bool:
    return len(given.positional) == 1 and isinstance(given.positional[0], Keyed)


def _entries(given: Arguments) -> dict[object, Value]:
    """The entries of ``dict(d, key=value)``."""
    entries: dict[object, Value] = {}
    for each in given.positional:
        assert isinstance(each, Keyed)
        entries |= zip(each.keys, each.items, strict=True)
    return entries | dict(given.keywords.items())


def _sum(frame: Frame, given: Arguments, left: Value, right: Value) -> Value:
    return arithmetic(frame, "add", left, right, given.node)


def call_dtype(frame: Frame, dotted: str, given: Arguments, name: str | None) -> Value:
    """``np.float32(x)``: a cast."""
    if len(given.positional) != 1 or given.keywords:
        raise refuse("PB404", f"`{dotted}` takes one argument", frame.span(given.node))
    value = atom(frame, given.positional[0], given.node)
    if isinstance(value, Literal) and (folded := fold_call(dotted, value)) is not None:
        return folded
    dtype = (("dtype", Literal(dotted.removeprefix("numpy."))),)
    kind: Kind = "value" if is_value(value) else "tensor"
    return frame.build.emit("astype", (value,), frame.span(given.node), kwargs=dtype, kind=kind, name=name)


def _extreme(frame: Frame, which: str, compared: Sequence[Value], node: ast.Call, name: str | None) -> Value:
    """Python's `min` or `max` of numbers: the first one that no other one beats."""
    best, *others = compared
    for number, other in enumerate(others, start=1):
        operands = [atom(frame, value, node) for value in (other, best)]
        test = combine(frame, "less" if which == "min" else "greater", operands, node)
        label = name if number == len(others) else None
        best = choose(frame, test, partial(_same, other), partial(_same, best), node, label)
    return best


def _is_number_or_array(value: Value) -> bool:
    return isinstance(value, Literal) or (isinstance(value, Var) and value.kind in ("value", "tensor"))


def _same(value: Value) -> Value:
    return value


def _folded(name: str, given: Arguments) -> Literal | None:
    literals = [value for value in given.positional if isinstance(value, Literal)]
    complete = len(literals) == len(given.positional) and not given.keywords
    return fold_call(name, *literals) if complete else None


def _of_values(frame: Frame, callee: Dotted, given: Arguments, name: str | None) -> Value | None:
    """`len`, `range`, `float`, `math.sqrt` and the like, of values."""
    span = frame.span(given.node)
    if callee.name not in VALUE_CALLS and callee.name != "slice":
        return None
    if given.keywords or not given.positional:
        raise refuse("PB404", f"`{callee.text}` takes positional arguments here", span)
    known = iterated(given.positional[0])
    if callee.name in ("tuple", "len") and known is not None and len(given.positional) == 1:
        return Items(known) if callee.name == "tuple" else Literal(len(known))
    operands = [atom(frame, value, given.node) for value in given.positional]
    if callee.name == "tuple":
        return _tuple(frame, operands, given, name)
    _check_values(frame, callee, operands, given)
    literals = [item for item in operands if isinstance(item, Literal)]
    if callee.name == "range" and len(literals) == len(operands):
        numbers = _literal_range(frame, literals, given)
        if len(numbers) <= _WRITTEN_OUT:
            return Items(tuple(map(Literal, numbers)))
    if len(literals) == len(operands) and (folded := fold_call(callee.name, *literals)) is not None:
        return folded
    if callee.name == "len" and isinstance(operands[0], Var) and operands[0].kind == "tensor":
        shape = frame.build.metadata("shape", (operands[0],), span)
        return frame.build.metadata("item", (shape, Literal(0)), span, name)
    if callee.name == "slice":
        bounds = (
            [Literal(None), *operands, Literal(None)] if len(operands) == 1 else [*operands, Literal(None)]
        )
        return frame.build.emit("slice", bounds[:3], span, kind="value", name=name)
    return frame.build.emit(callee.name, operands, span, kind="value", name=name)


def _tuple(frame: Frame, operands: Sequence[Atom], given: Arguments, name: str | None) -> Value:
    """The tuple of a shape, of a range, or of a tuple whose length is not known."""
    made = frame.build.made.get(operands[0]) if isinstance(operands[0], Var) else None
    if len(operands) == 1 and made is not None and made.op == "range":
        kwargs = (("of", Literal("tuple")),)
        span = frame.span(given.node)
        return frame.build.emit("range", made.args, span, kwargs=kwargs, kind="value", name=name)
    if len(operands) == 1 and operands[0] in frame.build.listed_numbers and made is not None:
        return made.args[0]
    if len(operands) == 1 and operands[0] in frame.build.tuples:
        return operands[0]
    hint = "write its items out, as (a, b), or [row for row in x]"
    raise refuse("PB404", "`tuple` takes a shape, a range or a tuple", frame.span(given.node), hint=hint)


def _check_values(frame: Frame, callee: Dotted, operands: list[Atom], given: Arguments) -> None:
    """Refuse tensors where a number is needed: what is computed of it would have no derivative."""
    if callee.name == "len":
        check_number(frame, operands[0], given.node.args[0], "`len`")
    if callee.name not in ("range", "float") and not callee.name.startswith("math."):
        return
    for operand, node in zip(operands, given.node.args, strict=False):
        if isinstance(operand, Var) and operand.kind != "value":
            instead = callee.name.removeprefix("math.")
            hints = {"range": "loop over `range(len(x))`, or over its rows: `for row in x`"}
            hints["float"] = "leave it out: arithmetic with a tensor keeps its derivative"
            hint = hints.get(callee.name, f"write `np.{instead}(x)`, which has a derivative")
            if callee.name == "range" and operand in frame.build.inputs:
                hint = f"annotate the parameter, behind the tensors: `{operand.name}: int`"
            message = f"`{callee.text}` takes numbers, and this is a tensor"
            raise refuse("PB404", message, frame.span(node), value=callee.text, hint=hint)


def _literal_range(frame: Frame, literals: list[Literal], given: Arguments) -> range:
    bounds = [item.value for item in literals if isinstance(item.value, int)]
    if len(bounds) != len(literals) or not 1 <= len(bounds) <= 3 or bounds[2:] == [0]:
        hint = "range(stop), range(start, stop), range(start, stop, step); int(n) rounds down"
        raise refuse("PB404", "`range` takes one to three whole numbers", frame.span(given.node), hint=hint)
    return range(*bounds)
