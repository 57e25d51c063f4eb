"""``for a, b in itertools.product(xs, ys)`` and its kin: loops in loops."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from ..names.constants import dotted_name
from ..state.readers import read
from ..state.values import Dotted, Frame
from ..syntax.fence import refuse
from ..syntax.nodes import located, name_of

_LOOPS = frozenset(
    f"itertools.{name}"
    for name in (
        "product",
        "combinations",
        "combinations_with_replacement",
        "permutations",
        "pairwise",
    )
)


def is_combined(frame: Frame, node: ast.For) -> bool:
    """True of a loop over what such a function gives."""
    call = node.iter
    return isinstance(call, ast.Call) and dotted_name(call.func, frame.names) in _LOOPS


def over_combinations(frame: Frame, node: ast.For) -> ast.For | None:
    """The same loop as loops over the sequences, or over places in them; None for other loops."""
    call = node.iter
    if not isinstance(call, ast.Call) or not is_combined(frame, node):
        return None
    which = str(dotted_name(call.func, frame.names)).removeprefix("itertools.")
    where = f"of {node.lineno} {node.col_offset}>"
    frame.local |= {f"<{name} {where}": Dotted(name, name) for name in ("range", "len")}
    made: ast.For | None = None
    if which == "product":
        made = _product(frame, node, call, where)
    elif which == "pairwise" and len(call.args) == 1 and not call.keywords:
        made = _neighbours(frame, node, call, where)
    elif which != "pairwise" and len(call.args) == 2 and not call.keywords:
        made = _places(frame, node, call, which, where)
    if made is None:
        hint = "write the loops out: `for i in range(n): for j in range(i + 1, n): ...`"
        message = f"such a call of `itertools.{which}` is outside of the formula language"
        raise refuse("PB402", message, frame.span(call), value=which, hint=hint)
    if which != "pairwise" and (left := next(_breaks(node.body), None)) is not None:
        hint = "write the loops out, and say where each ends"
        message = "`break` out of a loop over several sequences is outside of the formula language"
        raise refuse("PB401", message, frame.span(left), hint=hint)
    return located(made, node)


def _neighbours(frame: Frame, node: ast.For, call: ast.Call, where: str) -> ast.For:
    """A loop over the places of each element that another one stands behind."""
    name, place = f"<sequence {where}", f"<place {where}"
    frame.local[name] = read(frame, call.args[0])
    many = ast.BinOp(_length(name, where), ast.Sub(), ast.Constant(1))
    after = ast.BinOp(name_of(place), ast.Add(), ast.Constant(1))
    pair = [ast.Subscript(name_of(name), part, ast.Load()) for part in (name_of(place), after)]
    loop = (place, ast.Call(name_of(f"<range {where}"), [many], []))
    return _nested([loop], [_bound(node.target, pair), *node.body])


def _product(frame: Frame, node: ast.For, call: ast.Call, where: str) -> ast.For | None:
    """A loop over each of the sequences, inside of that over the one before."""
    repeats = 1
    for keyword in call.keywords:
        value = keyword.value
        if keyword.arg != "repeat" or not isinstance(value, ast.Constant) or type(value.value) is not int:
            return None
        repeats = value.value
    if not call.args or repeats < 1 or any(isinstance(each, ast.Starred) for each in call.args):
        return None
    sequences = [f"<sequence {k} {where}" for k in range(len(call.args))]
    for name, argument in zip(sequences, call.args, strict=True):
        frame.local[name] = read(frame, argument)
    sequences *= repeats
    items = [f"<item {k} {where}" for k in range(len(sequences))]
    body = [_bound(node.target, [name_of(item) for item in items]), *node.body]
    return _nested([(item, name_of(over)) for item, over in zip(items, sequences, strict=True)], body)


def _places(frame: Frame, node: ast.For, call: ast.Call, which: str, where: str) -> ast.For | None:
    """A loop over the places of each element, of which later ones stand behind those before them."""
    sequence, many = call.args
    if not isinstance(many, ast.Constant) or type(many.value) is not int or many.value < 1:
        return None
    name, count = f"<sequence {where}", f"<range {where}"
    numbers = _one_range(frame, sequence)
    frame.local[name] = read(frame, numbers or sequence)
    end: ast.expr = name_of(name) if numbers else _length(name, where)
    places = [f"<place {k} {where}" for k in range(many.value)]
    loops: list[tuple[str, ast.expr]] = []
    for k, place in enumerate(places):
        before: ast.expr = name_of(places[k - 1])
        if which == "combinations":
            before = ast.BinOp(before, ast.Add(), ast.Constant(1))
        first = [] if k == 0 or which == "permutations" else [before]
        loops.append((place, ast.Call(name_of(count), [*first, end], [])))
    items: list[ast.expr] = [name_of(place) for place in places]
    if numbers is None:
        items = [ast.Subscript(name_of(name), item, ast.Load()) for item in items]
    body = [_bound(node.target, items), *node.body]
    if which == "permutations":
        pairs = [(one, other) for k, one in enumerate(places) for other in places[:k]]
        for one, other in pairs:
            body = [ast.If(ast.Compare(name_of(one), [ast.NotEq()], [name_of(other)]), body, [])]
    return _nested(loops, body)


def _one_range(frame: Frame, node: ast.expr) -> ast.expr | None:
    """The number of elements of ``range(n)``, which are their own places; None for another sequence."""
    if not isinstance(node, ast.Call) or len(node.args) != 1 or not isinstance(node.func, ast.Name):
        return None
    callee = read(frame, node.func)
    return node.args[0] if isinstance(callee, Dotted) and callee.name == "range" else None


def _nested(loops: Sequence[tuple[str, ast.expr]], body: list[ast.stmt]) -> ast.For:
    for name, over in reversed(loops):
        made = ast.For(ast.Name(name, ast.Store()), over, body, [])
        body = [made]
    return made


def _bound(target: ast.expr, items: Sequence[ast.expr]) -> ast.stmt:
    return ast.Assign([target], ast.Tuple(list(items), ast.Load()))


def _breaks(body: Sequence[ast.stmt]) -> Iterator[ast.Break]:
    """The statements that end the loop whose body this is."""
    for statement in body:
        if isinstance(statement, ast.Break):
            yield statement
        elif isinstance(statement, ast.If):
            yield from _breaks([*statement.body, *statement.orelse])


def _length(name: str, where: str) -> ast.expr:
    return ast.Call(name_of(f"<len {where}"), [name_of(name)], [])
