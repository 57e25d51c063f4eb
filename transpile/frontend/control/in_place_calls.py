"""Calls that change an array, as the writes that they are: ``np.add.at(a, i, v)``, ``a.fill(v)``."""

from __future__ import annotations

import ast

from ...ir import Var
from ..expressions.subscripts import place_of_list
from ..names.constants import dotted_name
from ..state.aliases import is_number
from ..state.readers import read, read_body
from ..state.values import Dotted, Frame, Value
from ..syntax.nodes import moved

_SCATTERED = "unslice(broadcast(value, array[index].shape), index=index, shape=array.shape)"
# The entries of an index, one after the other: an entry that stands there twice is written twice.
_ONE_BY_ONE = (
    "if ndim(index) != 1:\n"
    "    raise ValueError('np.{name}.at takes an index of one axis in a formula: write a loop')\n"
    "found = broadcast(value, array[index].shape)\n"
    "for k in range(len(index)):\n"
    "    array[index[k]] = {name}(array[index[k]], found[k])"
)
# The axis last, and the others one: a row of entries for a row of places.
_ALONG_AXIS = (
    "if ndim(index) != ndim(array):\n"
    "    raise ValueError('`indices` and `arr` must have the same number of dimensions')\n"
    "last, places = moveaxis(array, axis, -1), moveaxis(index, axis, -1)\n"
    "shape = last.shape\n"
    "if places.shape[:-1] != shape[:-1]:\n"
    "    raise ValueError('np.put_along_axis takes as many rows of indices in a formula as `arr` has')\n"
    "count = places.shape[-1]\n"
    "rows = copy(reshape(last, (prod(shape[:-1]), shape[-1])))\n"
    "found = reshape(moveaxis(broadcast(value, index.shape), axis, -1), (prod(shape[:-1]), count))\n"
    "k = arange(prod(shape[:-1]))[:, None]\n"
    "rows[k, reshape(places, (prod(shape[:-1]), count))] = found\n"
    "array[...] = moveaxis(reshape(rows, shape), -1, axis)"
)
# The parameters of each, and the statements that it stands for.
_CALLS = {
    "numpy.add.at": (("array", "index", "value"), f"array += {_SCATTERED}"),
    "numpy.subtract.at": (("array", "index", "value"), f"array -= {_SCATTERED}"),
    **{
        f"numpy.{name}.at": (("array", "index", "value"), _ONE_BY_ONE.format(name=name))
        for name in ("maximum", "minimum", "multiply")
    },
    "numpy.put_along_axis": (("array", "index", "value", "axis"), _ALONG_AXIS),
    "numpy.fill_diagonal": (
        ("array", "value"),
        "if array.ndim != 2:\n"
        "    raise ValueError('np.fill_diagonal takes a matrix in a formula: write a[k, k, k] = value')\n"
        "k = arange(min(array.shape[0], array.shape[1]))\n"
        "array[k, k] = value",
    ),
    ".fill": (("array", "value"), "array[...] = value"),
}
# NumPy fills a copy of a number, which nobody sees.
_NO_NUMBER = "if array.ndim == 0:\n    raise ValueError('fill leaves a number as it is: assign to its name')"
_FUNCTIONS = {
    "unslice": "pullback.primitives.unslice",
    "broadcast": "numpy.broadcast_to",
    "prod": "math.prod",
    **{name: f"numpy.{name}" for name in ("arange", "copy", "moveaxis", "ndim", "reshape")},
    **{name: f"numpy.{name}" for name in ("maximum", "minimum", "multiply")},
    **{name: name for name in ("len", "min", "range")},
}
_MADE = frozenset({"count", "found", "k", "last", "places", "rows", "shape"})
_HIDDEN = frozenset({*_FUNCTIONS, *_MADE, "index", "value", "axis"})
# NumPy's names of the parameters that may be given by name.
_KEYWORDS = {
    "numpy.put_along_axis": {"indices": "index", "values": "value", "axis": "axis"},
    "numpy.fill_diagonal": {"val": "value"},
}


def read_in_place(frame: Frame, node: ast.expr) -> bool:
    """Read a call that changes its array in place; False for anything else."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    name, given = dotted_name(node.func, frame.names), node.args
    if name is None and node.func.attr == "fill":
        name, given = ".fill", [node.func.value, *node.args]
    parameters, text = _CALLS.get(name or "", ((), ""))
    named = {_KEYWORDS.get(name or "", {}).get(each.arg or ""): each.value for each in node.keywords}
    if not parameters or {*parameters[len(given) :]} != {*named} or len(given) > len(parameters):
        return False
    array, *others = [*given, *(named[parameter] for parameter in parameters[len(given) :])]
    if not isinstance(array, ast.Name | ast.Subscript):
        return False
    if name == ".fill" and _may_be_number(frame, array):
        text = f"{_NO_NUMBER}\n{text}"
    hidden: dict[str, Value] = {f"<{key}>": Dotted(full, full) for key, full in _FUNCTIONS.items()}
    for parameter, argument in zip(parameters[1:], others, strict=True):
        value = read(frame, argument)
        hidden[f"<{parameter}>"] = place_of_list(frame, value, argument) if parameter == "index" else value
    tree = moved(_Of(array).visit(ast.parse(text)), node)
    frame.local |= hidden
    read_body(frame, tree.body)
    for key in _HIDDEN:
        frame.local.pop(f"<{key}>", None)
    return True


def _may_be_number(frame: Frame, node: ast.expr) -> bool:
    held = read(frame, node)
    return isinstance(held, Var) and held.kind == "tensor" and is_number(frame.build, held)


class _Of(ast.NodeTransformer):
    """Statements of an array by the name `array`, over other names that no author can write."""

    def __init__(self, array: ast.Name | ast.Subscript) -> None:
        self._array = array

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """The array, or a name of ours in brackets; the name of an exception stays."""
        if node.id != "array":
            hidden = f"<{node.id}>"
            return ast.Name(hidden, node.ctx) if node.id in _HIDDEN else node
        if isinstance(self._array, ast.Name):
            return ast.Name(self._array.id, node.ctx)
        return ast.Subscript(self._array.value, self._array.slice, node.ctx)
