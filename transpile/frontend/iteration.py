"""``for k, (x, y) in enumerate(zip(xs, ys))`` over lists of a length that only the run knows.

Such a loop counts its turns, and each turn takes its elements by their place.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..ir import Literal, Var
from . import expressions, statements
from .fence import refuse
from .frame import Frame
from .values import Dotted, Value, elements

# Names that no author can write.
_TURN, _RANGE, _LEN, _MIN = "<turn>", "<range>", "<len>", "<min>"
_LIST, _ITEM, _SUM = "<values>", "<item>", "<sum>"


def counted(frame: Frame, node: ast.For) -> ast.For | None:
    """The same loop over a range; None for a loop over anything but `enumerate` and `zip` of such lists."""
    if _called(frame, node.iter) is None:
        return None
    sources: dict[str, Value] = {}
    bindings = list(_bindings(frame, node.target, node.iter, sources))
    if all(elements(value) is not None for value in sources.values()):
        return None
    _check_strict(frame, node.iter)
    frame.local |= sources | {_RANGE: Dotted("range", "range"), _LEN: Dotted("len", "len")}
    frame.local[_MIN] = Dotted("min", "min")
    lengths: list[ast.expr] = [_call(_LEN, ast.Name(name, ast.Load())) for name in sources]
    count = lengths[0] if len(lengths) == 1 else _call(_MIN, *lengths)
    made = ast.For(ast.Name(_TURN, ast.Store()), _call(_RANGE, count), [*bindings, *node.body], [])
    for part in (made, *bindings, made.iter):
        for inner in ast.walk(part):
            if "lineno" in inner._attributes and not hasattr(inner, "lineno"):
                ast.copy_location(inner, node)
    return made


def summed(frame: Frame, values: Var, node: ast.Call) -> Value:
    """``sum(values)`` over a list of a length that only the run knows: a loop."""
    frame.local |= {_LIST: values, _SUM: Literal(0)}
    total = ast.BinOp(ast.Name(_SUM, ast.Load()), ast.Add(), ast.Name(_ITEM, ast.Load()))
    add = ast.Assign([ast.Name(_SUM, ast.Store())], total)
    loop = ast.For(ast.Name(_ITEM, ast.Store()), ast.Name(_LIST, ast.Load()), [add], [])
    for part in ast.walk(loop):
        if "lineno" in part._attributes:
            ast.copy_location(part, node)
    statements.read_body(frame, [loop])
    return frame.local.pop(_SUM)


def _called(frame: Frame, node: ast.expr) -> str | None:
    """``enumerate`` or ``zip``, where an expression calls one of them."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or frame.holds(node.func.id):
        return None
    callee = expressions.read(frame, node.func)
    return callee.name if isinstance(callee, Dotted) and callee.name in ("enumerate", "zip") else None


def _bindings(
    frame: Frame, target: ast.expr, source: ast.expr, sources: dict[str, Value]
) -> Iterator[ast.stmt]:
    """Assignments of a turn's elements to the loop's names; `sources` gains what they are taken of."""
    called = _called(frame, source)
    if called is None or not isinstance(source, ast.Call):
        name = f"<source {len(sources)}>"
        backwards = expressions.reversed_of(frame, source)
        sources[name] = expressions.read(frame, backwards or source)
        place: ast.expr = ast.Name(_TURN, ast.Load())
        if backwards is not None:
            left = ast.BinOp(_call(_LEN, ast.Name(name, ast.Load())), ast.Sub(), place)
            place = ast.BinOp(left, ast.Sub(), ast.Constant(1))
        yield ast.Assign([target], ast.Subscript(ast.Name(name, ast.Load()), place, ast.Load()))
        return
    wanted = len(source.args) if called == "zip" else 2
    parts = target.elts if isinstance(target, ast.Tuple | ast.List) else []
    start = _start(source) if called == "enumerate" else None
    given = len(source.args) + len(source.keywords)
    if len(parts) != wanted or (called == "enumerate" and given != (1 if start is None else 2)):
        problem = f"`{called}` gives {wanted} values at a time, for as many names"
        raise refuse("PB402", problem, frame.span(source), value=called)
    if called == "enumerate":
        number: ast.expr = ast.Name(_TURN, ast.Load())
        if start is not None:
            first = f"<start {len(sources)}>"
            frame.local[first] = expressions.read(frame, start)
            number = ast.BinOp(ast.Name(first, ast.Load()), ast.Add(), number)
        yield ast.Assign([parts[0]], number)
        yield from _bindings(frame, parts[1], source.args[0], sources)
        return
    for part, inner in zip(parts, source.args, strict=True):
        yield from _bindings(frame, part, inner, sources)


def _start(source: ast.Call) -> ast.expr | None:
    """Where an `enumerate` begins to count, if it says so."""
    named = [keyword.value for keyword in source.keywords if keyword.arg == "start"]
    return next(iter([*source.args[1:2], *named]), None)


def _check_strict(frame: Frame, node: ast.expr) -> None:
    """Refuse a `zip` that is strict."""
    keywords = [keyword for call in ast.walk(node) if isinstance(call, ast.Call) for keyword in call.keywords]
    for keyword in keywords:
        if keyword.arg == "strict" and not (
            isinstance(keyword.value, ast.Constant) and keyword.value.value is False
        ):
            hint = "leave it out: how long the lists are is known at run time only"
            raise refuse("PB402", "`strict` is outside of the formula language", frame.span(node), hint=hint)


def _call(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])
