"""The arguments of a call, as they are written."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from ..state.readers import read
from ..state.values import Frame, Keyed, Value, elements
from ..syntax.fence import refuse


@dataclass
class Arguments:
    """The arguments of one call as they are written."""

    node: ast.Call
    positional: list[Value]
    keywords: dict[str, Value]


def read_arguments(frame: Frame, node: ast.Call) -> Arguments:
    """The arguments of a call, ``*`` of a tuple and ``**`` of a dictionary that are written out."""
    positional: list[Value] = []
    args = node.args
    reshapes = isinstance(node.func, ast.Attribute) and node.func.attr == "reshape"
    if reshapes and any(isinstance(item, ast.Starred) for item in args):
        # `x.reshape(*x.shape[:-1], 1)`: one tuple, however it is written.
        args = [ast.copy_location(ast.Tuple(args, ast.Load()), node)]
    for item in args:
        if not isinstance(item, ast.Starred):
            positional.append(read(frame, item))
            continue
        known = elements(read(frame, item.value))
        if known is None:
            raise refuse("PB404", "`*` needs a tuple that is written out", frame.span(item))
        positional.extend(known)
    keywords: dict[str, Value] = {}
    for keyword in node.keywords:
        value = read(frame, keyword.value)
        if keyword.arg is not None:
            keywords[keyword.arg] = value
            continue
        if not isinstance(value, Keyed) or not all(isinstance(key, str) for key in value.keys):
            message = "`**` in a call takes a dictionary that is written out, by names"
            raise refuse("PB404", message, frame.span(keyword.value), hint="write `name=value`")
        if twice := sorted(keywords.keys() & {str(key) for key in value.keys}):
            message = f"there are two values for the argument `{twice[0]}`"
            raise refuse("PB404", message, frame.span(keyword.value), hint="give it once")
        keywords |= {str(key): item for key, item in zip(value.keys, value.items, strict=True)}
    return Arguments(node, positional, keywords)
