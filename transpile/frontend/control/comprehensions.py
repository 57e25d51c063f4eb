"""List comprehensions and generator expressions."""

from __future__ import annotations

import ast

from ..state.growing import new_list
from ..state.readers import read, read_body
from ..state.values import Frame, Value, iterated
from ..syntax import fence
from ..syntax.nodes import located
from .assignment import bind_target
from .combined_loops import is_combined
from .iteration import counted


def read_comprehension(frame: Frame, node: ast.ListComp | ast.GeneratorExp, name: str | None) -> Value:
    """``[expression for item in known]``, written out for each element; any other as loops that append."""
    first = node.generators[0]
    if any(each.is_async for each in node.generators):
        raise fence.expression(node, frame.span(node))
    inner = Frame(
        frame.readers,
        frame.build,
        frame.text,
        frame.names,
        parent=frame,
        caller=frame,
        calls=frame.calls,
        place=frame.place,
    )
    loop = ast.copy_location(ast.For(first.target, first.iter, [], []), node)
    if len(node.generators) > 1 or first.ifs or is_combined(inner, loop) or counted(inner, loop) is not None:
        return _collected(inner, node)
    known = iterated(read(frame, first.iter))
    found: list[Value] = []
    if known is None:
        return _collected(inner, node)
    for item in known:
        bind_target(inner, first.target, item)
        found.append(read(inner, node.elt))
    return new_list(frame, found)


def _collected(inner: Frame, node: ast.ListComp | ast.GeneratorExp) -> Value:
    """``[expression for x in xs if test]`` of a length that only the run knows: loops that append."""
    inner.local[_LIST] = new_list(inner, [])
    append = ast.Attribute(ast.Name(_LIST, ast.Load()), "append", ast.Load())
    loop: ast.stmt = ast.Expr(ast.Call(append, [node.elt], []))
    for each in reversed(node.generators):
        for test in reversed(each.ifs):
            loop = ast.If(test, [loop], [])
        loop = ast.For(each.target, each.iter, [loop], [])
    read_body(inner, [located(loop, node)])
    return inner.local[_LIST]


# The name, which no author can write, of the list that a comprehension fills.
_LIST = "<list>"
