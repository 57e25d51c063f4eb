"""``for k, (x, y) in enumerate(zip(xs, ys))`` over lists of a length that only the run knows.

Such a loop counts its iterations, and each iteration takes its elements by their place.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..state.readers import read
from ..state.values import Dotted, Frame, Value, elements
from ..syntax.fence import refuse

# Names that no author can write.
_ITERATION, _RANGE, _LEN, _MIN = "<iteration>", "<range>", "<len>", "<min>"
_LIST, _ITEM, _SUM = "<values>", "<item>", "<sum>"


def counted(frame: Frame, node: ast.For) -> ast.For | None:
    """The same loop over a range; None for a loop over anything but `enumerate` and `zip` of such lists."""
    if _called(frame, node.iter) is None:
        return None
    sources: dict[str, Value] = {}
    bindings = list(_bindings(frame, node.target, node.iter, sources))
    if all(elements(value) is not None for value in sources.values()):
        return None
    frame.local |= sources | {_RANGE: Dotted("range", "range"), _LEN: Dotted("len", "len")}
    frame.local[_MIN] = Dotted("min", "min")
    lengths: list[ast.expr] = [_call(_LEN, ast.Name(name, ast.Load())) for name in sources]
    count = lengths[0] if len(lengths) == 1 else _call(_MIN, *lengths)
    made = ast.For(ast.Name(_ITERATION, ast.Store()), _call(_RANGE, count), [*bindings, *node.body], [])
    for part in (made, *bindings, made.iter):
        for inner in ast.walk(part):
            if "lineno" in inner._attributes and not hasattr(inner, "lineno"):
                ast.copy_location(inner, node)
    return made


def _called(frame: Frame, node: ast.expr) -> str | None:
    """``enumerate`` or ``zip``, where an expression calls one of them."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or frame.holds(node.func.id):
        return None
    callee = read(frame, node.func)
    return callee.name if isinstance(callee, Dotted) and callee.name in ("enumerate", "zip") else None


def _bindings(
    frame: Frame, target: ast.expr, source: ast.expr, sources: dict[str, Value]
) -> Iterator[ast.stmt]:
    """Assignments of an iteration's elements to the loop's names; `sources` gains what they are taken of."""
    called = _called(frame, source)
    if called is None or not isinstance(source, ast.Call):
        name = f"<source {len(sources)}>"
        sources[name] = read(frame, source)
        element = ast.Subscript(ast.Name(name, ast.Load()), ast.Name(_ITERATION, ast.Load()), ast.Load())
        yield ast.Assign([target], element)
        return
    wanted = len(source.args) if called == "zip" else 2
    parts = target.elts if isinstance(target, ast.Tuple | ast.List) else []
    if source.keywords or len(parts) != wanted or (called == "enumerate" and len(source.args) != 1):
        raise refuse(
            "PB402",
            f"`{called}` gives {wanted} values in each iteration, for as many names",
            frame.span(source),
            value=called,
        )
    if called == "enumerate":
        yield ast.Assign([parts[0]], ast.Name(_ITERATION, ast.Load()))
        yield from _bindings(frame, parts[1], source.args[0], sources)
        return
    for part, inner in zip(parts, source.args, strict=True):
        yield from _bindings(frame, part, inner, sources)


def _call(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])
