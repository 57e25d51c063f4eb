"""Dictionaries that are written out: ``{"w": w, "b": b}``, ``d["w"]``, ``d.items()``."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ...ir import Literal
from ...operators import by_python
from ..state.readers import operand, read
from ..state.values import Callee, Dotted, Frame, Function, Items, Keyed, Value
from ..syntax.fence import refuse
from ..syntax.nodes import located
from .templates import read_template

_CALLED = "<called>"  # a name that no author can write
_KEYS = "a key is a string, a number, or a tuple of these, which is known as the formula is read"


def read_dictionary(frame: Frame, node: ast.Dict, name: str | None) -> Value:
    """``{key: value, **others}``."""
    entries: dict[object, Value] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        if key is not None:
            entries[_key(frame, key)] = read(frame, value)
            continue
        inner = read(frame, value)
        if not isinstance(inner, Keyed):
            raise refuse("PB402", "`**` takes a dictionary that is written out", frame.span(value))
        entries |= zip(inner.keys, inner.items, strict=True)
    return of_entries(entries)


def read_dictionary_of(frame: Frame, node: ast.DictComp, name: str | None) -> Value:
    """``{key: value for ... in known}``: a dictionary, where the keys are known."""
    pairs = ast.Tuple([node.key, node.value], ast.Load())
    listed = ast.ListComp(ast.copy_location(pairs, node), node.generators)
    found = read(frame, ast.copy_location(listed, node))
    entries: dict[object, Value] = {}
    for pair in getattr(found, "items", (None,)):
        key = pair.items[0] if isinstance(pair, Items) else None
        if not isinstance(key, Literal):
            raise refuse("PB402", "the keys of a dictionary must be known", frame.span(node), hint=_KEYS)
        assert isinstance(pair, Items)
        entries[key.value] = pair.items[1]
    return of_entries(entries)


def of_entries(entries: dict[object, Value]) -> Keyed:
    """The dictionary of these entries."""
    return Keyed((*entries,), (*entries.values(),))


def entry(frame: Frame, held: Keyed, node: ast.Subscript) -> Value:
    """``d[key]``; where only the run knows the key, the entry that it is found to be."""
    key = operand(frame, node.slice)
    if isinstance(key, Literal):
        if key.value in held.keys:
            return held.items[held.keys.index(key.value)]
        there = ", ".join(map(repr, held.keys)) or "none"
        message = f"there is no entry {key.value!r} in this dictionary"
        raise refuse("PB402", message, frame.span(node.slice), hint=f"its keys are {there}")
    values = {f"value_{k}": _as_function(frame, value, node) for k, value in enumerate(held.items)}
    if not values:
        raise refuse("PB402", "this dictionary has no entries", frame.span(node))
    *firsts, last = (f"value_{k} if key == {each!r}" for k, each in enumerate(held.keys))
    text = " else ".join([*firsts, last.partition(" ")[0]])
    check = f"if key not in keys:\n    raise KeyError(key)\nfound = {text}"
    known = Items(tuple(map(Literal, held.keys)))
    return read_template(frame, check, {**values, "key": key, "keys": known}, node)


def _as_function(frame: Frame, value: Value, node: ast.expr) -> Value:
    """An operator as a function that calls it, between which and others the run can choose."""
    if not isinstance(value, Dotted | Callee):
        return value
    info = by_python(value.name) if isinstance(value, Dotted) else None
    names = [f"v{k}" for k in range(len(info.operands) if info is not None else 1)]
    called = ast.Call(ast.Name(_CALLED, ast.Load()), [ast.Name(name, ast.Load()) for name in names], [])
    parameters = ast.arguments([], [ast.arg(name) for name in names], None, [], [], None, [])
    made = located(ast.Lambda(parameters, called), node)
    inner = Frame(frame.readers, frame.build, frame.text, frame.names, {_CALLED: value}, parent=frame)
    inner.caller, inner.calls, inner.place = frame, frame.calls, frame.place
    return Function(made, inner)


def put_entry(frame: Frame, held: Keyed, node: ast.expr, value: Value) -> Keyed:
    """The dictionary in which an entry has another value."""
    return of_entries(dict(zip(held.keys, held.items, strict=True)) | {_key(frame, node): value})


def method_of(
    frame: Frame, held: Keyed, func: ast.Attribute, given: Sequence[Value], node: ast.Call
) -> Value:
    """``d.items()``, ``d.keys()``, ``d.values()`` and ``d.get(key, default)``."""
    keys = tuple(map(Literal, held.keys))
    if not given and not node.keywords and func.attr in ("items", "keys", "values", "copy"):
        pairs = zip(keys, held.items, strict=True)
        views: dict[str, Value] = {"keys": Items(keys), "values": Items(held.items)}
        views["items"] = Items(tuple(Items(pair) for pair in pairs))
        return views.get(func.attr) or Keyed(held.keys, held.items)
    key = given[0] if func.attr == "get" and 1 <= len(given) <= 2 and not node.keywords else None
    if isinstance(key, Literal):
        absent = given[1] if len(given) == 2 else Literal(None)
        return held.items[held.keys.index(key.value)] if key.value in held.keys else absent
    raise refuse(
        "PB402",
        f"such a call of a dictionary's `.{func.attr}` is outside of the formula language",
        frame.span(node),
        hint="`d[key]`, `d.get(key)`, `d.items()`, `d.keys()` and `d.values()` are in it",
    )


def _key(frame: Frame, node: ast.expr) -> object:
    key = operand(frame, node)
    if not isinstance(key, Literal):
        raise refuse("PB402", "the keys of a dictionary must be known", frame.span(node), hint=_KEYS)
    return key.value
