"""Subscripts of functions: ``np.r_[a, b]`` joins arrays, ``np.mgrid[:n, :m]`` has the places of a grid."""

from __future__ import annotations

import ast
from typing import TypeVar

from ...ir import Literal, Var
from ..state.readers import read
from ..state.values import Dotted, Frame, Value
from ..syntax.fence import refuse
from .templates import read_template

Node = TypeVar("Node", bound=ast.expr)
JOINS = {"numpy.r_": "numpy.concatenate", "numpy.c_": "numpy.column_stack"}

GRIDS = {
    "numpy.mgrid": "stack(meshgrid({}, indexing='ij'))",
    "numpy.ogrid": "meshgrid({}, indexing='ij', sparse=True)",
}


def read_grid(frame: Frame, base: Dotted, node: ast.Subscript) -> Value:
    """The places along each axis of a grid; of ``0:1:5j`` five from the first to the last."""
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    held: dict[str, Value] = {}
    axes = []
    for k, part in enumerate(parts):
        if not isinstance(part, ast.Slice) or part.upper is None:
            message = f"`{base.text}[...]` takes slices with an end"
            raise refuse("PB402", message, frame.span(part), hint="write `np.mgrid[:n, :m]`")
        count = part.step.value if isinstance(part.step, ast.Constant) else None
        bounds = {"a": part.lower, "b": part.upper, "c": None if isinstance(count, complex) else part.step}
        held |= {f"{name}{k}": read(frame, each) for name, each in bounds.items() if each is not None}
        start = "0" if part.lower is None else f"a{k}"
        if isinstance(count, complex):
            axes.append(f"linspace({start}, b{k}, {int(abs(count))})")
        else:
            axes.append(f"arange({start}, b{k}, {'1' if part.step is None else f'c{k}'})")
    made = axes[0] if len(axes) == 1 else GRIDS[base.name].format(", ".join(axes))
    return read_template(frame, f"found = {made}", held, node)


def read_joined(frame: Frame, base: Dotted, node: ast.Subscript, name: str | None) -> Value:
    """The arrays along their first axis, numbers as vectors of the arrays' dtype; by ``c_`` as columns."""
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    for part in parts:
        if isinstance(part, ast.Slice) or (isinstance(part, ast.Constant) and isinstance(part.value, str)):
            what = "a slice" if isinstance(part, ast.Slice) else "a string"
            raise refuse(
                "PB402",
                f"{what} in `{base.text}[...]` is outside of the formula language",
                frame.span(part),
                hint="write `np.arange(start, stop)`" if what == "a slice" else "write `np.concatenate`",
            )
    made = _Text(frame, node)
    names = [made.named(f"<part {place}>", read(frame, part)) for place, part in enumerate(parts)]
    made.named("<join>", Dotted(JOINS[base.name], base.text))
    made.named("<vector>", Dotted("numpy.atleast_1d", base.text))
    made.named("<zeros>", Dotted("numpy.zeros", base.text))
    try:
        arrays = [each for each in names if not _is_number(frame.local[each.id])]
        if len(arrays) < len(names) and arrays:
            made.named("<arrays>", read(frame, made.joined([made.vector(each) for each in arrays])))
        vectors = [made.vector(each) if each in arrays or not arrays else made.weak(each) for each in names]
        return read(frame, made.joined(vectors if base.name == "numpy.r_" else list(names)), name)
    finally:
        made.forget()


def _is_number(value: Value) -> bool:
    """True of a number of Python's, which takes the dtype of the arrays beside it."""
    if isinstance(value, Literal):
        return not value.strong and isinstance(value.value, int | float)
    return isinstance(value, Var) and value.kind == "value"


class _Text:
    """Expressions at a place in the text, over names that no author can write."""

    def __init__(self, frame: Frame, node: ast.expr) -> None:
        self.frame, self.node = frame, node
        self.names: list[str] = []

    def named(self, name: str, value: Value) -> ast.Name:
        """A name that holds this value."""
        self.frame.local[name] = value
        self.names.append(name)
        return self._here(ast.Name(name, ast.Load()))

    def forget(self) -> None:
        """Take the names away again."""
        for name in self.names:
            self.frame.local.pop(name, None)

    def joined(self, parts: list[ast.expr]) -> ast.expr:
        """The join of these."""
        return self._call("<join>", self._here(ast.List(parts, ast.Load())))

    def vector(self, part: ast.expr) -> ast.expr:
        """A part with one axis at least."""
        return self._call("<vector>", part)

    def weak(self, number: ast.expr) -> ast.expr:
        """A number as a vector of the dtype that the arrays have with it."""
        arrays = self._here(ast.Name("<arrays>", ast.Load()))
        dtype = ast.keyword("dtype", self._here(ast.Attribute(arrays, "dtype", ast.Load())))
        zeros = self._call("<zeros>", self._here(ast.Constant(1)), dtype)
        return self._here(ast.BinOp(number, ast.Add(), zeros))

    def _call(self, function: str, argument: ast.expr, *keywords: ast.keyword) -> ast.expr:
        called = self._here(ast.Name(function, ast.Load()))
        return self._here(ast.Call(called, [argument], list(keywords)))

    def _here(self, made: Node) -> Node:
        return ast.copy_location(made, self.node)
