"""Lists that grow as often as only the run knows: in branches, in inner loops, several times in an iteration.

Such a list is a variable: ``parts.append(y)`` binds `parts` anew, to a list that is longer by one.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from ...ir import Atom, Kind, Literal, Var
from ..syntax.fence import refuse
from ..syntax.leaving import may_leave
from .atoms import atom, list_atom
from .mutation import check_list_write, check_own_list
from .values import Frame, Growing, Items, Value, is_value


def append(frame: Frame, func: ast.Attribute, held: Growing | Var, item: Value, node: ast.Call) -> Value:
    """``name.append(item)``: in place where a list is written out, else a new list under the old name."""
    build, span = frame.build, frame.span(node)
    if not isinstance(held, Growing) or held.collected or build.branches > held.depth:
        item = as_array(frame, item, node)
    if isinstance(held, Growing):
        if build.in_closure and not held.by_closure:
            raise refuse("PB303", "a list is changed by the closure", span, hint="build a new list")
        if build.branches <= held.depth:
            check_own_list(frame, held, ast.unparse(func.value), node)
            held.items.append(item)
            return Literal(None)
    if not isinstance(func.value, ast.Name):
        message = "a list that stands in a list grows in a branch or a loop"
        hint = "fill an array: `table = np.zeros((n, m))`, `table[i, j] = ...`"
        raise refuse("PB401", message, span, hint=hint)
    if func.value.id not in frame.local:
        raise refuse(
            "PB303",
            "a list of a function around is changed in a branch or a loop",
            span,
            hint="return what is to be appended, and append it there",
        )
    name = func.value.id
    if isinstance(held, Growing):
        held = as_variable(frame, name, held, node)
    else:
        check_list_write(frame, held, name, node)
    value = atom(frame, item, node)
    number = isinstance(value, Literal) and isinstance(value.value, bool | int | float)
    single = isinstance(value, Var) and value.kind in ("tensor", "value") and value not in build.maybe_none
    if not number and not single:
        raise refuse(
            "PB401",
            f"`{name}` can grow here by one tensor or one number at a time",
            span,
            value=name,
            hint="append the parts to lists of their own",
        )
    listed = held.kind == "list" or (isinstance(value, Var) and value.kind == "tensor")
    kind: Kind = "list" if listed else "value"
    grown = build.emit("appended", (held, value), span, kind=kind, name=name)
    build.lists.add(grown)
    frame.bind(name, grown, node)
    return Literal(None)


def put_in(frame: Frame, held: Growing | Var, place: Atom, item: Value, node: ast.Call) -> Value:
    """``name.insert(place, item)`` of a list that is written out."""
    growing, index = _changed_here(frame, held, place, node)
    growing.items.insert(index, item)
    return Literal(None)


def take_out(frame: Frame, held: Growing | Var, place: Atom, node: ast.Call) -> Value:
    """``name.pop(place)`` of a list that is written out."""
    growing, index = _changed_here(frame, held, place, node)
    count = len(growing.items)
    if not -count <= index < count:
        raise refuse("PB402", f"there are {count} elements, and no element {index}", frame.span(node))
    return growing.items.pop(index)


def _changed_here(frame: Frame, held: Growing | Var, place: Atom, node: ast.Call) -> tuple[Growing, int]:
    """The list and the place in it, where it is written out and changes in neither branch nor closure."""
    build, span = frame.build, frame.span(node)
    hint = "use append; a part of a list is `xs[1:]`, `xs[:-1]`"
    index = place.value if isinstance(place, Literal) else None
    if not isinstance(held, Growing) or not isinstance(index, int) or build.branches > held.depth:
        message = "a list changes here in a way, or at a place, that only the run knows"
        raise refuse("PB402", message, span, hint=hint)
    if build.in_closure and not held.by_closure:
        raise refuse("PB303", "a list is changed by the closure", span, hint="build a new list")
    name = node.func.value if isinstance(node.func, ast.Attribute) else node.func
    check_own_list(frame, held, ast.unparse(name), node)
    return held, index


def as_variable(frame: Frame, name: str, growing: Growing, node: ast.AST) -> Var:
    """The list that a name holds, as a variable under the same name."""
    check_list_write(frame, growing, name, node)
    var = written_list(frame, growing, "value" if is_value(growing) else "list", node, name)
    frame.bind(name, var, node)
    return var


def written_list(frame: Frame, growing: Growing, kind: Kind, node: ast.AST, name: str | None = None) -> Var:
    """The variable for a list that is written out."""
    items = [as_array(frame, item, node) for item in growing.items]
    kind = kind if is_value(Items(tuple(items))) else "list"
    parts = [atom(frame, item, node) for item in items]
    var = frame.build.emit("list", parts, frame.span(node), kind=kind, name=name)
    frame.build.lists.add(var)
    return var


def as_array(frame: Frame, item: Value, node: ast.AST) -> Value:
    """The array that stands for a row; anything else as it is."""
    if not isinstance(item, Growing) or not item.row:
        return item
    return frame.build.emit("stack", (list_atom(frame, item, node),), frame.span(node))


def is_list(frame: Frame, var: Var) -> bool:
    """True where a variable is a list, of tensors or of numbers."""
    return var.kind == "list" or var in frame.build.lists


def appended(body: Iterable[ast.stmt]) -> set[str]:
    """Names of what ``name.append(...)`` is called on."""
    nodes = (node for statement in body for node in ast.walk(statement))
    return {name for node in nodes if (name := _grows(node)) is not None}


def grows_once(body: Sequence[ast.stmt], name: str) -> bool:
    """True where each iteration of a loop appends once to a list, and does nothing else with it."""
    named = [n for s in body for n in ast.walk(s) if isinstance(n, ast.Name) and n.id == name]
    for statement in body:
        if isinstance(statement, ast.Expr) and _grows(statement.value) == name:
            return len(named) == 1
        if may_leave([statement]):
            return False
    return False


def _grows(node: ast.AST) -> str | None:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    base = node.func.value
    return base.id if node.func.attr == "append" and isinstance(base, ast.Name) else None


def new_list(frame: Frame, items: list[Value]) -> Growing:
    """A list that may grow here, and in loops, but not in branches."""
    return Growing(items, frame.build.in_closure, frame.build.branches)
