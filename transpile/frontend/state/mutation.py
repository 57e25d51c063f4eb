"""In-place changes: of an input, of an alias, of an incoming gradient, and of what a formula made.

The IR has no memory: a write makes a new value, under the same name. That is
what NumPy computes as long as nobody reads the memory through another name.
Another array's write is refused here; a view that was taken before the write is
refused where it is read after it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ...ir import Atom, Var
from ..syntax.fence import Refusal, refuse
from .aliases import is_number, items_of, roots, share
from .lookup import lookup
from .values import Choice, Frame, Function, Growing, Items, Keyed, LastIteration, Poison, Value

_LOOPED = "is what a loop goes over"
_IN_PLACE_METHODS = frozenset({"fill", "sort", "put", "itemset", "resize", "partition", "setflags"})


def check_in_place(frame: Frame, node: ast.expr) -> None:
    """Refuse a change in place by a method such as ``x.fill(0)``, of an expression on its own."""
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in _IN_PLACE_METHODS
    ):
        check_store(
            frame, ast.copy_location(ast.Subscript(node.func.value, ast.Constant(0), ast.Store()), node)
        )


def check_store(frame: Frame, target: ast.expr) -> None:
    """Refuse an assignment to an attribute, or to a part of what is no name, with what it would change."""
    if isinstance(target, ast.Tuple | ast.List):
        for item in target.elts:
            check_store(frame, item)
        return
    if not isinstance(target, ast.Subscript | ast.Attribute):
        return
    base: ast.expr = target
    while isinstance(base, ast.Subscript | ast.Attribute):
        base = base.value
    held = _held(frame, base)
    if isinstance(base, ast.Name) and isinstance(held, Var) and held.kind == "tensor":
        check_write(frame, held, base.id, target)
    what = "an attribute" if isinstance(target, ast.Attribute) else "this"
    raise refuse(
        "PB401",
        f"assignment to {what} is outside of the formula language",
        frame.span(target),
        hint="write `out[i] = value` to an array that the formula made",
    )


def _held(frame: Frame, node: ast.expr) -> Value | None:
    if not isinstance(node, ast.Name):
        return None
    try:
        return lookup(frame, node)
    except Refusal:
        return None


def check_write(frame: Frame, var: Var, name: str, node: ast.AST) -> None:
    """Refuse a write that is seen through another name; views of the array are not read after it."""
    check_own(frame, var, name, node)
    for whom in _whom(frame, var, name):
        raise _shared(frame, name, whom, node)


def check_augmented(frame: Frame, var: Var, name: str, node: ast.AST) -> str | None:
    """Refuse ``name += value`` of an array that is seen through another name.

    Gives who sees it, where the value is rather a number, which is replaced: the run asks which it is.
    """
    check_own(frame, var, name, node)
    for whom in _whom(frame, var, name):
        if not is_number(frame.build, var):
            raise _shared(frame, name, whom, node)
        return f"line {frame.span(node).line}: `{name}` {whom}"
    return None


def _shared(frame: Frame, name: str, whom: str, node: ast.AST) -> Refusal:
    callers = " for the caller" * ("the input" in whom)
    return refuse(
        "PB301",
        f"`{name}` {whom}, which this changes in place{callers} as well",
        frame.span(node),
        value=name,
        hint=_hint(name, whom),
    )


def _hint(name: str, whom: str) -> str:
    if whom == _LOOPED:
        return f"go over `range(len({name}))`, or over `{name}.copy()`"
    copy = f"a copy: `{name} = {name}.copy()`"
    _, view, other = whom.partition("a view of `")
    return f"write to `{other[:-1]}[...]`, or to {copy}" if view else f"write to {copy}"


def view_of(frame: Frame, var: Var) -> tuple[Var, str, Atom] | None:
    """The array that a part was taken of, by an index without arrays, the array's name here, and the index.

    None where it has no name here, or is no array that the formula made.
    """
    build = frame.build
    eqn = build.made.get(var)
    base = eqn.args[0] if eqn is not None and eqn.op == "getitem" else None
    index = eqn.kwarg("index") if eqn is not None else None
    if (
        not isinstance(base, Var)
        or index is None
        or index in build.arrays
        or roots(build, base) & build.inputs
    ):
        return None
    name = next((name for name, value in frame.local.items() if value is base), None)
    return None if name is None else (base, name, index)


def check_own(frame: Frame, var: Var, name: str, node: ast.AST) -> None:
    """Refuse a write to what is not the formula's, or not this function's; to what was captured."""
    build, span = frame.build, frame.span(node)
    own = roots(build, var)
    if own & build.gradients:
        raise refuse(
            "PB302",
            f"`{name}` is an incoming gradient and is changed in place: other users of it would see that",
            span,
            value=name,
            hint="compute a new array: `grad = grad * 2`",
        )
    if build.in_closure and own & build.forward_vars:
        raise refuse(
            "PB303",
            f"`{name}` is captured and the closure changes it in place: a second backward would differ",
            span,
            value=name,
            hint="compute a new array",
        )
    if any(source in build.opaque for source in own):
        raise refuse(
            "PB301",
            f"`{name}` comes from a call that the vocabulary does not know, and may be somebody else's",
            span,
            value=name,
            hint=f"write to a copy: `{name} = {name}.copy()`",
        )
    if name.isidentifier() and name not in frame.local:
        raise refuse(
            "PB303",
            f"`{name}` is a name of the function around, which this changes in place",
            span,
            value=name,
        )
    captor = captured_before(frame, name, var)
    if captor is not None:
        raise refuse(
            "PB303",
            f"`{name}` is changed after `{captor}` captured it",
            span,
            value=name,
            hint="change it before the closure is defined",
        )


def _whom(frame: Frame, var: Var, name: str) -> Iterator[str]:
    """Who else sees the memory that a name holds; a view of it is not read after the write."""
    build = frame.build
    own = roots(build, var)
    if shared := own & build.inputs:
        what = "is" if var in build.inputs else "may be"
        yield f"{what} the input `{min(shared, key=str).name}`"
    if held := own & build.listed.keys():
        yield f"may be in the list `{build.listed[min(held, key=str)]}`"
    for other, value in names_in_sight(frame):
        if isinstance(value, LastIteration) and other != name and roots(build, value.iterations) & own:
            yield f"may share memory with `{other}`"
        if other == name or not isinstance(value, Var) or not share(build, value, var):
            continue
        is_view = value is not var and var in roots(build, value)
        if is_view and frame.local.get(other) is value:
            why, hint = (
                f"is a view of `{name}`, which was changed in place since",
                "take a copy: `x[i].copy()`",
            )
            frame.local[other] = Poison(why, "PB301", hint)
        elif other.startswith("<"):  # a name that no author can write
            yield _LOOPED
        elif value is not var and not is_view:
            yield f"is a view of `{other}`" if value in own else "is a view of another array"
        else:
            yield f"is also named `{other}`"


def check_list_write(frame: Frame, held: Growing | Var, name: str, node: ast.AST) -> None:
    """Refuse to append to a list that is an input, that another name holds as well, or that was captured."""
    build = frame.build
    own = _lists_of(frame, held)
    other = next(
        (key for key, value in names_in_sight(frame) if key != name and own & _lists_of(frame, value)), None
    )
    captor = captured_before(frame, name, held)
    whom = f"also named `{other}`" if other is not None else ""
    if captor is not None:
        whom = f"captured by `{captor}` before"
    if own & (build.inputs | build.gradients):
        whom = "an input"
    if own & build.opaque.keys() or (build.in_closure and own & build.forward_vars):
        whom = "not made here"
    if whom:
        raise refuse(
            "PB301",
            f"`{name}` is {whom}, and grows in a branch or a loop",
            frame.span(node),
            value=name,
            hint="append to a list that was made here, under one name, before a function captures it",
        )


def check_own_list(frame: Frame, held: Growing, name: str, node: ast.AST) -> None:
    """Refuse to change a list that a choice has left, or may have left under another name: it may be both."""
    own = _lists_of(frame, held)
    for other, value in names_in_sight(frame):
        if value is not held and own & _lists_of(frame, value):
            raise refuse(
                "PB301",
                f"`{name}` may be the list `{other}`, which this changes as well",
                frame.span(node),
                value=name,
                hint="choose a copy: `list(xs)`",
            )


def check_entry_write(frame: Frame, held: Keyed, name: str, node: ast.AST) -> None:
    """Refuse to write to an entry of a dictionary that another name holds as well, or that was captured."""
    own = set(_alternatives(held))
    others = (key for key, value in names_in_sight(frame) if key != name and own & {*_alternatives(value)})
    other = next(others, None)
    captor = captured_before(frame, name, held)
    whom = f"also named `{other}`" if other is not None else ""
    if captor is not None:
        whom = f"captured by `{captor}` before"
    if name not in frame.local:
        whom = "of a function around"
    if whom:
        raise refuse(
            "PB301",
            f"`{name}` is {whom}, and this writes to an entry of it",
            frame.span(node),
            value=name,
            hint="write to a dictionary that was made here, under one name, before a function captures it",
        )


def _lists_of(frame: Frame, value: Value) -> set[Var | Growing]:
    """The lists that a value is, or may be."""
    build = frame.build
    if isinstance(value, Growing):
        return {*_alternatives(value)}
    if not isinstance(value, Var):
        return set()
    # What a list holds may be an entry of another one, which does not grow with it.
    lists = roots(build, value, lambda var: var.kind == "list" or var in build.lists)
    return {*lists}.union(*(_alternatives(build.written[var]) for var in lists & build.written.keys()))


def _alternatives(value: Value) -> Iterator[Any]:
    """A list or a dictionary, and those that it may be."""
    if isinstance(value, Growing | Keyed):
        yield value
        for each in value.may_be:
            yield from _alternatives(each)


def names_in_sight(frame: Frame) -> list[tuple[str, Value]]:
    """Every name in sight, in the functions around and in those that called this one."""
    found: list[tuple[str, Value]] = []
    queue, seen = [frame], {id(frame)}
    while queue:
        here = queue.pop(0)
        where = "" if here is frame else " of the caller"
        for key, value in here.local.items():
            found += [(key + where, value)]
            if isinstance(value, Growing | Items | Keyed):
                found += [(f"{key}[...]", item) for item in value.items]
            elif isinstance(value, Var) and value.kind == "list":
                found += [(f"{key}[...]", item) for item in items_of(frame.build, value)]
        for more in (here.parent, here.caller):
            if more is not None and id(more) not in seen:
                seen.add(id(more))
                queue.append(more)
    return found


def captured_before(frame: Frame, name: str, var: Value) -> str | None:
    """The nested function, defined already, that captures this name or the value that it holds."""
    for value in frame.local.values():
        for function in value.leaves() if isinstance(value, Choice) else [value]:
            if not isinstance(function, Function) or function.frame is not frame:
                continue
            if name in frame.text.free_of(function.node) or any(held is var for _, held in function.defaults):
                return function.name
    return None
