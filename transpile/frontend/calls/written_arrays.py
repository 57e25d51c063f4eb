"""``np.array``: of numbers an array of them; of tensors a stack, of stacks where lists are in the list."""

from __future__ import annotations

import ast
import itertools

from ...ir import Literal, Var
from ...operators import OPERATORS, OperatorInfo
from ..expressions.templates import read_template
from ..state.atoms import atom, keyword_atom
from ..state.growing import is_list
from ..state.kinds import is_table
from ..state.readers import read
from ..state.values import Frame, Growing, Items, Value, elements, is_tensor
from ..syntax.lists import Row
from ..syntax.tables import Filled, Table
from .arguments import Arguments
from .operators import LISTS_OF_ARRAYS, bind_operator

# What joins numbers too, as vectors of one element.
_OF_NUMBERS = frozenset({"hstack", "vstack"})
_SHAPES_NUMBERS = frozenset({"reshape", "expand_dims"})
ARRAY_OF = frozenset({"numpy.array", "numpy.asarray"})


def array_of(
    frame: Frame, value: Value, node: ast.Call, name: str | None, dtype: Value | None = None
) -> Value | None:
    """The array that ``np.array`` makes of a number, a tuple or a list; None for anything else."""
    build = frame.build
    listed = isinstance(value, Var) and value.kind == "value"
    listed = listed and value in build.tuples | build.lists | build.listed_numbers
    if listed and value in build.tuples and not is_table(frame, value):  # a shape
        value = read_template(frame, "found = [n for n in xs]", {"xs": value}, node)
    of_numbers = listed or _shape_of_numbers(frame, value) is not None
    if not of_numbers and not _has_tensors(frame, value):
        return None
    if dtype is not None and (not of_numbers or (isinstance(value, Var) and value in build.lists)):
        array = array_of(frame, value, node, None)
        assert array is not None
        kwargs = (("dtype", keyword_atom(frame, "dtype", dtype, node)),)
        return build.emit("astype", (atom(frame, array, node),), frame.span(node), kwargs=kwargs, name=name)
    if of_numbers:
        given = {"object": value} | ({} if dtype is None else {"dtype": dtype})
        return bind_operator(frame, OPERATORS["array"], "numpy.array", node, [], given, name)
    return _stacked(frame, value, node, name)


def array_of_table(frame: Frame, value: Value, node: ast.Call) -> Value:
    """The array of a parameter that is a tuple of numbers; another value as it is."""
    made = array_of(frame, value, node, None) if is_table(frame, value) else None
    return value if made is None else made


def read_table(frame: Frame, node: Table, name: str | None) -> Value:
    """The array that a list of numbers is, which is filled by place."""
    lengths = Items(tuple(read(frame, length) for length in node.lengths))
    call = ast.copy_location(ast.Call(node, [], []), node)
    given = [lengths, read(frame, node.fill)]
    return bind_operator(frame, OPERATORS["full"], "numpy.full", call, given, {}, name)


# An array of numbers alone: what is written to a place is one, and what was read of it stays as it is.
_FILLED = (
    "source = array(xs) * 1.0\n"
    "if source.ndim != 1:\n"
    "    raise TypeError('a list that is filled by place is one of numbers here')\n"
    "found = zeros(len(source), dtype=source.dtype)\n"
    "found[:] = source"
)


def read_filled(frame: Frame, node: Filled, name: str | None) -> Value:
    """A list that is filled by place: where it is not written out, an array."""
    value = read(frame, node.elements)
    if isinstance(value, Var) and (value.kind == "tensor" or is_list(frame, value)):
        return read_template(frame, _FILLED, {"xs": value}, node)
    return value


def read_row(frame: Frame, node: Row, name: str | None) -> Value:
    """A list in a list of rows."""
    return Growing(list(elements(read(frame, node.items)) or ()), frame.build.in_closure, row=True)


def array_assigned(frame: Frame, value: Value, node: ast.expr) -> Value:
    """The array that NumPy makes of a list or tuple which is written to a part of one; else the value."""
    call = ast.copy_location(ast.Call(ast.Name("array", ast.Load()), [node], []), node)
    made = array_of(frame, value, call, None) if _is_list(frame, value) else None
    return value if made is None else made


def with_arrays(frame: Frame, info: OperatorInfo, given: Arguments) -> Arguments:
    """The arguments, with arrays for lists that are written out, also in a list of arrays."""

    def number(value: Value) -> Value:
        return _of_no_axes(frame, value, given.node) if _shape_of_numbers(frame, value) == () else value

    def made(slot: str, value: Value) -> Value:
        if info.variadic:
            value = list_of_arrays(frame, value, given.node)
            joins_numbers = info.name in _OF_NUMBERS and isinstance(value, Items)
            return Items(tuple(map(number, elements(value) or ()))) if joins_numbers else value
        if info.name in _SHAPES_NUMBERS and slot == info.operands[0]:
            value = number(value)
        if slot not in info.operands or slot in LISTS_OF_ARRAYS:
            return value
        value = array_of_table(frame, value, given.node)
        if info.kind in ("reduction", "scan") and info.name != "prod" and value in frame.build.tuples:
            return array_of(frame, value, given.node, None) or value  # `np.max(x.shape)`
        numbers = isinstance(value, Var) and value.kind == "value" and value in frame.build.lists
        written = elements(value) and (_has_tensors(frame, value) or _shape_of_numbers(frame, value))
        return array_assigned(frame, value, given.node) if numbers or written else value

    slots = itertools.chain(info.operands, itertools.repeat(""))
    positional = [made(slot, value) for slot, value in zip(slots, given.positional, strict=False)]
    keywords = {key: made(key, value) for key, value in given.keywords.items()}
    return Arguments(given.node, positional, keywords)


def list_of_arrays(frame: Frame, value: Value, node: ast.Call) -> Value:
    """A list in which lists of numbers and tensors are arrays; another value as it is."""

    def made(item: Value) -> Value:
        if elements(item) == ():
            return bind_operator(
                frame, OPERATORS["zeros"], "numpy.array", node, [], {"shape": Literal((0,))}, None
            )
        return array_assigned(frame, array_of_table(frame, item, node), node)

    items = elements(value)
    return value if items is None else Items(tuple(map(made, items)))


def _of_no_axes(frame: Frame, number: Value, node: ast.Call) -> Value:
    keywords = {"shape": Literal(()), "fill_value": number}
    return bind_operator(frame, OPERATORS["full"], "numpy.full", node, [], keywords, None)


def with_arrays_inside(node: ast.Call) -> ast.Call:
    """``np.array([[... for b in y] for a in x])`` as an array of arrays: an iteration leaves no list."""
    first = node.args[0] if len(node.args) == 1 and not node.keywords else None
    if not isinstance(first, ast.ListComp) or not isinstance(first.elt, ast.ListComp | ast.List | ast.Tuple):
        return node
    row = with_arrays_inside(ast.copy_location(ast.Call(node.func, [first.elt], []), first.elt))
    rows = ast.copy_location(ast.ListComp(row, first.generators), first)
    return ast.copy_location(ast.Call(node.func, [rows], []), node)


def _stacked(frame: Frame, value: Value, node: ast.Call, name: str | None) -> Value:
    if (items := elements(value)) is not None:
        value = Items(
            tuple(_stacked(frame, item, node, None) if _is_list(frame, item) else item for item in items)
        )
    # A list of a length that only the run knows may be empty.
    op = "stacked" if isinstance(value, Var) else "stack"
    return bind_operator(frame, OPERATORS[op], "numpy.array", node, [value], {}, name)


def _is_list(frame: Frame, value: Value) -> bool:
    return elements(value) is not None or (isinstance(value, Var) and is_list(frame, value))


def _has_tensors(frame: Frame, value: Value) -> bool:
    if isinstance(value, Items | Growing):
        return any(_has_tensors(frame, item) or is_tensor(item) for item in value.items)
    return isinstance(value, Var) and is_list(frame, value)


def _is_number(frame: Frame, value: Var) -> bool:
    build = frame.build
    return value.kind == "value" and value not in build.tuples | build.texts | build.lists


def _shape_of_numbers(frame: Frame, value: Value) -> tuple[int, ...] | None:
    """The shape of a list of numbers, or of lists of them; () of a number, None of anything else."""
    if isinstance(value, Literal) and isinstance(value.value, int | float):
        return ()
    if isinstance(value, Var):
        return () if _is_number(frame, value) else None
    known = elements(value)
    shapes = {_shape_of_numbers(frame, item) for item in known or ()}
    inner = shapes.pop() if len(shapes) == 1 else None
    return None if known is None or inner is None else (len(known), *inner)
