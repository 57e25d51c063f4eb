"""Changes in place as assignments: ``t.mul_(2)`` becomes ``t = t.mul(2)``."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from pullback.transpile.analysis.torch import words

from .fix import names_in, unused
from .reading import reads, root_of, shares
from .splices import CannotFix

if TYPE_CHECKING:
    from .slicing import Slicer

OF_LISTS = frozenset({"append", "extend", "insert"})
LOW = (ast.BinOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.UnaryOp, ast.Lambda, ast.NamedExpr)


class Aliases:
    """Which names of a function may share memory, once changes in place make new tensors."""

    def __init__(self, function: ast.FunctionDef, truth: Callable[[ast.expr], bool | None]) -> None:
        self._truth = truth
        self._pairs: set[tuple[str, str]] = set()
        for node in ast.walk(function):
            if isinstance(node, ast.Assign):
                targets = {t.id for t in node.targets if isinstance(t, ast.Name)}
                for root in self._roots(node.value):
                    self._pairs |= {(target, root) for target in targets if target != root}

    def of(self, name: str) -> set[str]:
        """The other names that may share memory with it."""
        found, waiting = {name}, [name]
        while waiting:
            one = waiting.pop()
            near = {b for a, b in self._pairs if a == one} | {a for a, b in self._pairs if b == one}
            waiting += near - found
            found |= near
        return found - {name}

    def _roots(self, node: ast.expr) -> set[str]:
        if isinstance(node, ast.IfExp):
            known = self._truth(node.test)
            taken = [node.body, node.orelse] if known is None else [node.body if known else node.orelse]
            return {root for branch in taken for root in self._roots(branch)}
        root = root_of(node, written=False)
        return {root} if root else set()


def functional(statement: ast.stmt, slicer: Slicer, live: set[str]) -> list[str]:
    """The lines of a statement without changes in place. `live`: names that are read after it."""
    text = slicer.text
    if isinstance(statement, ast.AugAssign):
        return _augmented(statement, slicer, live)
    _check_dropped(statement)
    edits: dict[tuple[int, int], str] = {}
    after: list[str] = []
    before = _stored(statement, slicer, edits)
    inner = set(map(id, _chain(statement)[1:]))
    for node in ast.walk(statement):
        if isinstance(node, ast.keyword) and node.arg in ("out", "inplace"):
            raise CannotFix(f"`{node.arg}=` changes a tensor in place")
        if isinstance(node, ast.NamedExpr):
            raise CannotFix("a name is bound inside an expression")
        if isinstance(node, ast.IfExp) and (known := slicer.truth(node.test)) is not None:
            kept = node.body if known else node.orelse
            edits[text.start(node), text.start(kept)] = ""
            edits[text.end(kept), text.end(node)] = ""
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and words.is_in_place(node.func.attr)
        ):
            end = text.end(node.func)
            if node.func.attr[:-1] not in words.METHODS:
                raise CannotFix(f"`{node.func.attr}` has no form that makes a new tensor")
            edits[end - 1, end] = ""
            if id(node) not in inner:
                _method(node, node.func, statement, slicer, live, edits, after)
    return [*before, *_edited(statement, slicer, edits), *after]


def _chain(statement: ast.stmt) -> list[ast.Call]:
    """The calls in ``x.mul_(a).add_(b)`` that change ``x``, the last one first."""
    found = []
    node = getattr(statement, "value", None)
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if not words.is_in_place(node.func.attr):
            break
        found.append(node)
        node = node.func.value
    return found


def _stored(statement: ast.stmt, slicer: Slicer, edits: dict[tuple[int, int], str]) -> list[str]:
    """What stands before ``x[i] = ...``: autograd may keep ``x``, so a copy is changed."""
    match statement:
        case ast.Assign(targets=[ast.Subscript() as target], value=value):
            root = root_of(target)
            if root is None or not slicer.is_read_before(root, statement):
                return []
            if root not in reads(value):
                return [f"{root} = {root}.clone()"]
            name = unused("entries", names_in(slicer.function))
            text = slicer.text
            edits[text.start(value), text.end(value)] = name
            return [*f"{name} = {text.of(value)}".split("\n"), f"{root} = {root}.clone()"]
    return []


def _check_dropped(statement: ast.stmt) -> None:
    """A call whose result is not used changes something: a tensor, a list, or what is not known."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=name))) if not words.is_in_place(name):
            if name not in OF_LISTS:
                raise CannotFix(f"what `{name}` does is not known")


def _method(
    call: ast.Call,
    function: ast.Attribute,
    statement: ast.stmt,
    slicer: Slicer,
    live: set[str],
    edits: dict[tuple[int, int], str],
    after: list[str],
) -> None:
    root = root_of(function.value)
    if root is not None:
        outermost = getattr(statement, "value", None) is call
        _check_root(root, function.value, slicer, live, outermost)
        if outermost and isinstance(statement, ast.Expr):
            start = slicer.text.start(statement)
            edits[start, start] = f"{root} = "
        elif root in live and isinstance(statement, ast.Assign):
            start = slicer.text.start(statement)
            value = slicer.text.start(statement.value)
            target = slicer.text.text[start:value]
            if not target:
                raise CannotFix(f"`{root}` is changed in place where it is saved")
            edits[start, value] = f"{root} = "
            after.append(f"{target}{root}")


def _check_root(root: str, receiver: ast.expr, slicer: Slicer, live: set[str], outermost: bool) -> None:
    if root in slicer.parameters:
        raise CannotFix(f"the forward changes `{root}` in place")
    if slicer.aliases.of(root) & live:
        raise CannotFix(f"another name may share the memory of `{root}`, which is changed in place")
    if root in live and (not outermost or _through_view(receiver)):
        raise CannotFix(f"`{root}` is changed in place inside an expression")


def _through_view(node: ast.expr) -> bool:
    """Whether a chain of methods on a name has one in it that is not in place."""
    while not isinstance(node, ast.Name):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            return True
        if not words.is_in_place(node.func.attr):
            return shares(node.func.attr)
        node = node.func.value
    return False


def _augmented(statement: ast.AugAssign, slicer: Slicer, live: set[str]) -> list[str]:
    from .slicing import OPERATORS

    if not isinstance(statement.target, ast.Name):
        root = root_of(statement.target)
        return [*([f"{root} = {root}.clone()"] if root else []), *slicer.lines_of(statement)]
    name = statement.target.id
    if slicer.aliases.of(name) & live:
        raise CannotFix(f"another name may share the memory of `{name}`, which is changed in place")
    sign = OPERATORS.get(type(statement.op))
    if sign is None or any(
        words.is_in_place(n.attr) for n in ast.walk(statement) if isinstance(n, ast.Attribute)
    ):
        raise CannotFix(f"`{name}` is changed in place inside an expression")
    value = slicer.text.of(statement.value)
    if isinstance(statement.value, LOW):
        value = f"({value})"
    return f"{name} = {name} {sign} {value}".split("\n")


def _edited(statement: ast.stmt, slicer: Slicer, edits: dict[tuple[int, int], str]) -> list[str]:
    text = slicer.text
    start, end = text.start(statement), text.end(statement)
    pieces, at = [], start
    for (first, last), new in sorted(edits.items()):
        pieces += [text.text[at:first], new]
        at = last
    whole = "".join([*pieces, text.text[at:end]])
    depth = statement.col_offset
    first_line, *rest = whole.split("\n")
    return [first_line, *(line[depth:] if not line[:depth].strip() else line for line in rest)]
