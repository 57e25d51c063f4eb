"""Changes in place as assignments: ``t.mul_(2)`` becomes ``t = t.mul(2)``."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping

from ...analyses import torch_names
from .aliases import FILLING, Aliases
from .place import names_in, unused
from .reading import reads, root_of, shares
from .splices import CannotFix, Text

OPERATORS = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.MatMult: "@",
    ast.Pow: "**",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
}
LOW = (ast.BinOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.UnaryOp, ast.Lambda, ast.NamedExpr)


class Method:
    """A function whose changes in place become assignments.

    `truth`: a test that is known to be true or false wherever a backward runs; None for any other. `shared`:
    pairs of names that share memory when it is called. While it is `unrecorded`, what it detaches has no
    history to lose: computed again, with one, it is not detached.
    """

    unrecorded = False
    undetached = False  # it detached something, which now is not

    def __init__(
        self,
        text: Text,
        function: ast.FunctionDef,
        parameters: set[str],
        truth: Callable[[ast.expr], bool | None],
        shared: Iterable[tuple[str, str]] = (),
    ) -> None:
        self.text, self.function, self.parameters, self.truth = text, function, parameters, truth
        self.aliases = Aliases(function, truth, shared=shared)

    def check_alone(self, name: str, live: set[str]) -> None:
        """Raise `CannotFix` where another name that is read later may share the memory of a changed one."""
        if self.aliases.of(name) & live:
            raise CannotFix(f"another name may share the memory of `{name}`, which is changed in place")

    def is_read_before(self, name: str, statement: ast.stmt) -> bool:
        """True if something may be computed from a name before a statement, or in an earlier iteration."""
        loops = [
            n
            for n in ast.walk(self.function)
            if isinstance(n, ast.For | ast.While) and n.lineno <= statement.lineno <= (n.end_lineno or 0)
        ]
        first = min((loop.lineno for loop in loops), default=statement.lineno)
        last = max((loop.end_lineno or 0 for loop in loops), default=statement.lineno - 1)
        stores = {
            id(n.value)
            for n in ast.walk(self.function)
            if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store)
        }
        return any(
            isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load) and id(n) not in stores
            for n in ast.walk(self.function)
            if getattr(n, "lineno", 10**9) < first or first <= getattr(n, "lineno", 10**9) <= last
        )


def functional(
    statement: ast.stmt, method: Method, live: set[str], renamed: Mapping[str, str] | None = None
) -> list[str]:
    """The lines of a statement without changes in place.

    `live`: names that are read after it. `renamed`: attributes that it sets, and the names that they get.
    """
    text = method.text
    if isinstance(statement, ast.AugAssign):
        return _augmented(statement, method, live)
    _check_dropped(statement)
    edits: dict[tuple[int, int], str] = {}
    after: list[str] = []
    before = _stored(statement, method, live, edits)
    inner = set(map(id, _chain(statement)[1:]))
    drops = method.unrecorded and not _makes_leaf(statement)
    for node in ast.walk(statement):
        if isinstance(node, ast.keyword) and node.arg in ("out", "inplace"):
            raise CannotFix(f"`{node.arg}=` changes a tensor in place")
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and renamed:
            edits[text.start(node), text.end(node)] = renamed[ast.unparse(node)]
        if isinstance(node, ast.NamedExpr):
            raise CannotFix("a name is bound inside an expression")
        if isinstance(node, ast.IfExp) and (known := method.truth(node.test)) is not None:
            kept = node.body if known else node.orelse
            edits[text.start(node), text.start(kept)] = ""
            edits[text.end(kept), text.end(node)] = ""
        if drops and isinstance(node, ast.expr) and (undetached := _detached(node)) is not None:
            edits[text.end(undetached), text.end(node)] = ""
            method.undetached = True
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and torch_names.is_in_place(node.func.attr)
        ):
            end = text.end(node.func)
            if node.func.attr[:-1] not in torch_names.METHODS:
                raise CannotFix(f"`{node.func.attr}` has no form that makes a new tensor")
            edits[end - 1, end] = ""
            if id(node) not in inner:
                _method(node, node.func, statement, method, live, edits, after)
    return [*before, *_edited(statement, method, edits), *after]


def _detached(node: ast.expr) -> ast.expr | None:
    """``x`` of ``x.detach()``."""
    match node:
        case ast.Call(func=ast.Attribute(value=value, attr="detach"), args=[], keywords=[]):
            return value
    return None


def _makes_leaf(statement: ast.stmt) -> bool:
    """True if a statement sets that something requires grad: not detached, that might be an input."""
    names = (n.attr for n in ast.walk(statement) if isinstance(n, ast.Attribute))
    return any(name.startswith("requires_grad") for name in names)


def _chain(statement: ast.stmt) -> list[ast.Call]:
    """The calls in ``x.mul_(a).add_(b)`` that change ``x``, the last one first."""
    found = []
    node = getattr(statement, "value", None)
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if not torch_names.is_in_place(node.func.attr):
            break
        found.append(node)
        node = node.func.value
    return found


def _stored(
    statement: ast.stmt, method: Method, live: set[str], edits: dict[tuple[int, int], str]
) -> list[str]:
    """The lines before ``x[i] = ...``: autograd may have saved ``x``, so a copy is changed."""
    match statement:
        case ast.Assign(targets=[ast.Subscript() as target], value=value):
            root = root_of(target)
            key = target.slice
            of_dictionary = isinstance(key, ast.Constant) and isinstance(key.value, str)
            if root is None or of_dictionary:
                return []
            if root not in reads(value) and not method.is_read_before(root, statement):
                return []
            method.check_alone(root, live)
            if root not in reads(value):
                return [f"{root} = {root}.clone()"]
            name = unused("entries", names_in(method.function))
            text = method.text
            edits[text.start(value), text.end(value)] = name
            return [*f"{name} = {text.of(value)}".split("\n"), f"{root} = {root}.clone()"]
    return []


def _check_dropped(statement: ast.stmt) -> None:
    """A call whose result is not used changes something: a tensor, a list, or what is not known."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=name))) if not torch_names.is_in_place(name):
            if name not in FILLING:
                raise CannotFix(f"what `{name}` does is not known")


def _method(
    call: ast.Call,
    function: ast.Attribute,
    statement: ast.stmt,
    method: Method,
    live: set[str],
    edits: dict[tuple[int, int], str],
    after: list[str],
) -> None:
    root = root_of(function.value)
    if root is not None:
        outermost = getattr(statement, "value", None) is call
        _check_root(root, function.value, method, live, outermost)
        if outermost and isinstance(statement, ast.Expr):
            start = method.text.start(statement)
            edits[start, start] = f"{root} = "
        elif root in live and isinstance(statement, ast.Assign):
            start = method.text.start(statement)
            value = method.text.start(statement.value)
            target = method.text.text[start:value]
            if not target:
                raise CannotFix(f"`{root}` is changed in place where it is saved")
            edits[start, value] = f"{root} = "
            after.append(f"{target}{root}")


def _check_root(root: str, receiver: ast.expr, method: Method, live: set[str], outermost: bool) -> None:
    if root in method.parameters:
        raise CannotFix(f"the forward changes `{root}` in place")
    method.check_alone(root, live)
    if root in live and (not outermost or _through_view(receiver)):
        raise CannotFix(f"`{root}` is changed in place inside an expression")


def _through_view(node: ast.expr) -> bool:
    """True if a chain of methods on a name has one in it that is not in place."""
    while not isinstance(node, ast.Name):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            return True
        if not torch_names.is_in_place(node.func.attr):
            return shares(node.func.attr)
        node = node.func.value
    return False


def _augmented(statement: ast.AugAssign, method: Method, live: set[str]) -> list[str]:
    if not isinstance(statement.target, ast.Name):
        root = root_of(statement.target)
        if root is None:
            return method.text.lines_of(statement)
        method.check_alone(root, live)
        if root not in reads(statement.value):
            return [f"{root} = {root}.clone()", *method.text.lines_of(statement)]
        entries, target = unused("entries", names_in(method.function)), method.text.of(statement.target)
        sign = OPERATORS.get(type(statement.op))
        if sign is None:
            raise CannotFix(f"`{root}` is changed in place by what is read from it")
        value = method.text.of(statement.value)
        value = f"({value})" if isinstance(statement.value, LOW) else value
        made = f"{entries} = {target} {sign} {value}"
        return [*made.split("\n"), f"{root} = {root}.clone()", f"{target} = {entries}"]
    name = statement.target.id
    method.check_alone(name, live)
    sign = OPERATORS.get(type(statement.op))
    if sign is None or any(
        torch_names.is_in_place(n.attr) for n in ast.walk(statement) if isinstance(n, ast.Attribute)
    ):
        raise CannotFix(f"`{name}` is changed in place inside an expression")
    value = method.text.of(statement.value)
    if isinstance(statement.value, LOW):
        value = f"({value})"
    return f"{name} = {name} {sign} {value}".split("\n")


def _edited(statement: ast.stmt, method: Method, edits: dict[tuple[int, int], str]) -> list[str]:
    text = method.text
    start, end = text.start(statement), text.end(statement)
    pieces, at = [], start
    for (first, last), new in sorted(edits.items()):
        pieces += [text.text[at:first], new]
        at = last
    whole = "".join([*pieces, text.text[at:end]])
    depth = statement.col_offset
    first_line, *rest = whole.split("\n")
    return [first_line, *(line[depth:] if not line[:depth].strip() else line for line in rest)]
