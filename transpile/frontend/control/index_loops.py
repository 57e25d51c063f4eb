"""``for i, j in np.ndindex(x.shape)`` and ``for (i, j), v in np.ndenumerate(x)``: loops over one range."""

from __future__ import annotations

import ast

from ..names.constants import dotted_name
from ..state.readers import read, read_body
from ..state.values import Dotted, Frame
from ..syntax.fence import refuse
from ..syntax.nodes import located, name_of

_LOOPS = {"numpy.ndindex", "numpy.ndenumerate"}


def over_places(frame: Frame, node: ast.For) -> ast.For | None:
    """The same loop over a range, from whose numbers each iteration finds its positions; None for others.

    The sizes are unpacked to as many names as there are positions, which raises where these are not as many.
    """
    call = node.iter
    dotted = dotted_name(call.func, frame.names) if isinstance(call, ast.Call) else None
    if not isinstance(call, ast.Call) or dotted not in _LOOPS:
        return None
    target, where, entries = (
        node.target,
        f"of {node.lineno} {node.col_offset}>",
        dotted == "numpy.ndenumerate",
    )
    pair = target.elts if entries and isinstance(target, ast.Tuple) and len(target.elts) == 2 else []
    row = pair[0] if pair else target
    names = [part.id for part in row.elts if isinstance(part, ast.Name)] if isinstance(row, ast.Tuple) else []
    whole = isinstance(row, ast.Tuple) and len(names) == len(row.elts)
    if not whole or bool(pair) != entries or call.keywords or not call.args:
        hint = "a name for each axis: `for i, j in np.ndindex(x.shape)`, `for (i, j), v in np.ndenumerate(x)`"
        raise refuse(
            "PB402",
            "such a loop over positions is outside of the formula language",
            frame.span(node),
            hint=hint,
        )
    array, place, count = f"<array {where}", f"<place {where}", f"<range {where}"
    sizes = [f"<size {k} {where}" for k in range(len(names))]
    shape: ast.expr = call.args[0] if len(call.args) == 1 else ast.Tuple(call.args, ast.Load())
    if isinstance(shape, ast.Starred):
        shape = shape.value
    if entries:
        frame.local[array] = read(frame, shape)
        shape = ast.Attribute(name_of(array), "shape", ast.Load())
    row_of_sizes = ast.Tuple([ast.Name(size, ast.Store()) for size in sizes], ast.Store())
    read_body(frame, [located(ast.Assign([row_of_sizes], shape), node)])
    left: ast.expr = name_of(place)
    body: list[ast.stmt] = []
    for name, size in zip(reversed(names), reversed(sizes), strict=True):
        body.insert(0, ast.Assign([ast.Name(name, ast.Store())], ast.BinOp(left, ast.Mod(), name_of(size))))
        left = ast.BinOp(left, ast.FloorDiv(), name_of(size))
    if entries:
        index = ast.Tuple([name_of(name) for name in names], ast.Load())
        body.append(ast.Assign([pair[1]], ast.Subscript(name_of(array), index, ast.Load())))
    many: ast.expr = ast.Constant(1)
    for size in sizes:
        many = ast.BinOp(many, ast.Mult(), name_of(size))
    frame.local[count] = Dotted("range", "range")
    made = ast.For(
        ast.Name(place, ast.Store()), ast.Call(name_of(count), [many], []), [*body, *node.body], []
    )
    return located(made, node)
