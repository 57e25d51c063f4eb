"""Calls of helpers: the helper's body is read in place."""

from __future__ import annotations

import ast

from ...ir import Literal
from ..state.readers import read, read_body
from ..state.values import Frame, Function, Items, Value
from ..syntax.fence import is_generator, refuse

MAX_CALLS = 12


def inline(
    frame: Frame,
    function: Function,
    positional: list[Value],
    keywords: dict[str, Value],
    node: ast.Call,
    name: str | None,
) -> Value:
    """The value that a helper returns for these arguments."""
    span = frame.span(node)
    if function.node in frame.calls:
        raise refuse(
            "PB105", f"`{function.name}` calls itself", span, value=function.name, hint="write it as a loop"
        )
    if len(frame.calls) >= MAX_CALLS:
        raise refuse("PB402", f"helpers call each other more than {MAX_CALLS} deep", span)
    outer = function.frame
    if outer.parent is None:
        outer.text.check_depth(function.node)
    inner = Frame(
        frame.readers,
        frame.build,
        outer.text,
        outer.names,
        local=bind_parameters(frame, function, positional, keywords, node),
        declared=outer.text.locals_of(function.node),
        parent=outer,
        caller=frame,
        calls=(*frame.calls, function.node),
        place=outer.place,
    )
    if (found := is_generator(function.node)) is not None:
        raise refuse("PB402", f"`{function.name}` is a generator", inner.span(found))
    if isinstance(function.node, ast.Lambda):
        return read(inner, function.node.body, name)
    result = read_body(inner, function.node.body, name)
    return Literal(None) if result is None else result


def parameter_names(function: Function) -> tuple[str, ...]:
    """The names of a function's positional parameters."""
    args = function.node.args
    return tuple(arg.arg for arg in (*args.posonlyargs, *args.args))


def bind_parameters(
    frame: Frame, function: Function, positional: list[Value], keywords: dict[str, Value], node: ast.AST
) -> dict[str, Value]:
    """Parameters to values, as Python binds a call."""
    args, span = function.node.args, frame.span(node)
    places = parameter_names(function)
    local: dict[str, Value] = dict(function.defaults)
    if len(positional) > len(places) and args.vararg is None:
        raise refuse("PB404", f"`{function.name}` takes {len(places)} positional arguments", span)
    given = dict(zip(places, positional, strict=False))
    if args.vararg is not None:
        given[args.vararg.arg] = Items(tuple(positional[len(places) :]))
    allowed = {arg.arg for arg in (*args.args, *args.kwonlyargs)}
    for key, value in keywords.items():
        if key in given or key not in allowed:
            raise refuse("PB404", f"`{function.name}` cannot take `{key}` here", span, value=key)
        given[key] = value
    local.update(given)
    if args.kwarg is not None:
        raise refuse("PB404", f"`{function.name}` takes `**{args.kwarg.arg}`: write the parameters out", span)
    for required in (*places, *(arg.arg for arg in args.kwonlyargs)):
        if required not in local:
            raise refuse("PB404", f"`{function.name}` lacks its argument `{required}`", span, value=required)
    return local
