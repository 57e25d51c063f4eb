"""Calls of helpers: the helper's body is read in place."""

from __future__ import annotations

import ast

from ...ir import Literal
from ..names.static import imported_inside, with_imports
from ..state.readers import read, read_body
from ..state.values import Frame, Function, Items, Value, elements
from ..syntax.fence import is_generator, refuse

# Different functions that may be inside of each other, and calls in all where some call themselves.
MAX_CALLS, MAX_DEPTH = 12, 24


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
    local = bind_parameters(frame, function, positional, keywords, node)
    if function.node in frame.calls and not _differs(frame, function, local):
        hint = "write it as a loop; a number or a length that is known may say how deep it goes"
        raise refuse("PB105", f"`{function.name}` calls itself", span, value=function.name, hint=hint)
    if len({*frame.calls}) >= MAX_CALLS:
        raise refuse("PB402", f"helpers call each other more than {MAX_CALLS} deep", span)
    if len(frame.calls) >= MAX_DEPTH:
        message = f"`{function.name}` calls itself more than {MAX_DEPTH} deep"
        raise refuse("PB105", message, span, value=function.name, hint="write it as a loop")
    outer = function.frame
    if outer.parent is None:
        outer.text.check_depth(function.node)
    inside = imported_inside(function.node)
    inner = Frame(
        frame.readers,
        frame.build,
        outer.text,
        with_imports(outer.names, inside),
        local=local,
        declared=outer.text.locals_of(function.node) - inside.keys(),
        parent=outer,
        caller=frame,
        calls=(*frame.calls, function.node),
        arguments=dict(local),
        place=outer.place,
    )
    if (found := is_generator(function.node)) is not None:
        raise refuse("PB402", f"`{function.name}` is a generator", inner.span(found))
    if isinstance(function.node, ast.Lambda):
        return read(inner, function.node.body, name)
    result = read_body(inner, function.node.body, name)
    return Literal(None) if result is None else result


def _differs(frame: Frame, function: Function, local: dict[str, Value]) -> bool:
    """True where a call of a function in itself has another constant, or list, than the call around it."""
    around: Frame | None = frame
    while around is not None and around.calls[-1:] != (function.node,):
        around = around.caller
    sizes = (
        [(_size(value), _size(around.arguments.get(name))) for name, value in local.items()] if around else []
    )
    return any(here is not None and before is not None and here != before for here, before in sizes)


def _size(value: Value | None) -> object:
    """A number that is known, or the length of a list; None of anything else."""
    if isinstance(value, Literal) and not isinstance(value.value, tuple):
        return value.value
    known = None if value is None else elements(value)
    return None if known is None else ("length", len(known))


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
