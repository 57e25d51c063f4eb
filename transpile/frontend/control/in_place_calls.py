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
# The parameters of each, and the statements that it stands for.
_CALLS = {
    "numpy.add.at": (("array", "index", "value"), f"array += {_SCATTERED}"),
    "numpy.subtract.at": (("array", "index", "value"), f"array -= {_SCATTERED}"),
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
    "arange": "numpy.arange",
    "min": "min",
}
_HIDDEN = frozenset({*_FUNCTIONS, "index", "value", "k"})


def read_in_place(frame: Frame, node: ast.expr) -> bool:
    """Read a call that changes its array in place; False for anything else."""
    if not isinstance(node, ast.Call) or node.keywords or not isinstance(node.func, ast.Attribute):
        return False
    name, given = dotted_name(node.func, frame.names), node.args
    if name is None and node.func.attr == "fill":
        name, given = ".fill", [node.func.value, *node.args]
    parameters, text = _CALLS.get(name or "", ((), ""))
    if not parameters or len(parameters) != len(given):
        return False
    array, *others = given
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
