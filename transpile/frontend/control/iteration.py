"""``for k, (x, y) in enumerate(zip(xs, ys))`` over lists of a length that only the run knows.

Such a loop counts its iterations, and each iteration takes its elements by their place.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..state.readers import read, read_body
from ..state.values import Dotted, Frame, Value, elements
from ..syntax.fence import refuse
from ..syntax.nodes import located

# Names that no author can write.
_ITERATION, _RANGE, _LEN, _MIN = "<iteration>", "<range>", "<len>", "<min>"


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
    strict = _strict(frame, node.iter, list(sources))
    read_body(frame, [located(statement, node) for statement in strict])
    return located(made, node)


def reversed_of(frame: Frame, node: ast.expr) -> ast.expr | None:
    """The argument of ``reversed(...)``, or None for any other expression."""
    if not isinstance(node, ast.Call) or len(node.args) != 1 or node.keywords:
        return None
    if not isinstance(node.func, ast.Name) or isinstance(node.args[0], ast.Starred):
        return None
    callee = read(frame, node.func)
    return node.args[0] if isinstance(callee, Dotted) and callee.name == "reversed" else None


def _called(frame: Frame, node: ast.expr) -> str | None:
    """``enumerate`` or ``zip``, where an expression calls one of them."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or frame.holds(node.func.id):
        return None
    if any(isinstance(argument, ast.Starred) for argument in node.args):  # of lists that are written out
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
        backwards = reversed_of(frame, source)
        sources[name] = read(frame, backwards or source)
        place: ast.expr = ast.Name(_ITERATION, ast.Load())
        if backwards is not None:
            left = ast.BinOp(_call(_LEN, ast.Name(name, ast.Load())), ast.Sub(), place)
            place = ast.BinOp(left, ast.Sub(), ast.Constant(1))
        yield ast.Assign([target], ast.Subscript(ast.Name(name, ast.Load()), place, ast.Load()))
        return
    wanted = len(source.args) if called == "zip" else 2
    parts = target.elts if isinstance(target, ast.Tuple | ast.List) else []
    if isinstance(target, ast.Name):
        parts = [ast.Name(f"<part {k} {len(sources)}>", ast.Store()) for k in range(wanted)]
    start = _start(source) if called == "enumerate" else None
    given = len(source.args) + len(source.keywords)
    if len(parts) != wanted or (called == "enumerate" and given != (1 if start is None else 2)):
        problem = f"`{called}` gives {wanted} values at a time, for as many names"
        raise refuse("PB402", problem, frame.span(source), value=called)
    if called == "enumerate":
        number: ast.expr = ast.Name(_ITERATION, ast.Load())
        if start is not None:
            first = f"<start {len(sources)}>"
            frame.local[first] = read(frame, start)
            number = ast.BinOp(ast.Name(first, ast.Load()), ast.Add(), number)
        yield ast.Assign([parts[0]], number)
        yield from _bindings(frame, parts[1], source.args[0], sources)
    else:
        for part, inner in zip(parts, source.args, strict=True):
            yield from _bindings(frame, part, inner, sources)
    if isinstance(target, ast.Name):
        whole = ast.Tuple(
            [ast.Name(part.id, ast.Load()) for part in parts if isinstance(part, ast.Name)], ast.Load()
        )
        yield ast.Assign([target], whole)


def _start(source: ast.Call) -> ast.expr | None:
    """The start of an `enumerate`, where it is given."""
    named = [keyword.value for keyword in source.keywords if keyword.arg == "start"]
    return next(iter([*source.args[1:2], *named]), None)


def _strict(frame: Frame, node: ast.expr, names: list[str]) -> list[ast.stmt]:
    """For a strict `zip`, conditions that raise where a list is not as long as the first one."""
    zips = [call for call in ast.walk(node) if isinstance(call, ast.Call) and _called(frame, call) == "zip"]
    given = [keyword for call in zips for keyword in call.keywords if keyword.arg == "strict"]
    constants = [each.value.value for each in given if isinstance(each.value, ast.Constant)]
    if len(constants) < len(given) or (any(constants) and len(zips) > 1):
        hint = "write a loop for each, or leave `strict` out"
        raise refuse(
            "PB402", "such a `strict` is outside of the formula language", frame.span(node), hint=hint
        )
    lengths = [_call(_LEN, ast.Name(name, ast.Load())) for name in names]
    text = ast.Constant("zip() has arguments of different lengths")
    return [
        ast.If(
            ast.Compare(lengths[0], [ast.NotEq()], [length]),
            [ast.Raise(ast.Call(ast.Name("ValueError", ast.Load()), [text], []), None)],
            [],
        )
        for length in lengths[1:]
        if any(constants)
    ]


def _call(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])
