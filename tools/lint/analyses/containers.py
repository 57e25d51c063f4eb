"""Tuples and lists: unpacking, indexing, slicing, where some lengths are unknown."""

from __future__ import annotations

from collections.abc import Sequence

from .values import MISSING, Facts, Item, Thing, Value, bounded, combine, constant, union


def make(items: Sequence[Item]) -> Value:
    """A tuple or list of items."""
    return (Thing(parts=list(items)),)


def dictionary(keys: Sequence[object], values: Sequence[Value], born: int = 0) -> Value:
    """A dictionary with these keys. `born`: how deep in branches and loops it is made."""
    return (Thing(parts=[Item(value) for value in values], keys=tuple(keys), born=born),)


def at_key(thing: Thing, at: Value, other: Value = ()) -> Value:
    """The item of a dictionary at a key, or `other` where it has none; any where the key is not known."""
    key = at[0].constant if len(at) == 1 else MISSING
    if thing.keys is None or thing.parts is None or key is MISSING:
        return union(element_of((thing,)), other)
    if key not in thing.keys:
        return other or element_of((thing,))
    return thing.parts[thing.keys.index(key)].value


def pairs(thing: Thing) -> Value:
    """``thing.items()`` of a dictionary whose keys are known."""
    items = zip(thing.keys or (), thing.parts or (), strict=True)
    return make([Item(make([Item(constant(key)), item])) for key, item in items])


def starred(value: Value) -> list[Item]:
    """The items of ``*value``; one item for any number of them where they are unknown."""
    if len(value) == 1 and value[0].keys is not None:
        return [Item(constant(key)) for key in value[0].keys]
    if len(value) == 1 and value[0].parts is not None:
        return list(value[0].parts)
    return [Item(element_of(value), starred=True)]


def element_of(value: Value) -> Value:
    """Any one item of a value, as a loop sees it."""
    found: list[Value] = []
    for thing in value:
        if thing.parts is not None:
            found += [item.value for item in thing.parts]
        else:
            found.append((element(thing, "any"),))
    return union(*found)


def element(thing: Thing, key: object) -> Thing:
    """The item at a position of something that is no known list; the same thing each time."""
    if key not in thing.elements:
        facts = thing.facts
        if thing.pair and key in (1, "indices"):
            facts = Facts()
        form = facts.form
        made = Thing(combine([facts], form, None), store=thing.store, span=thing.span, token=None)
        made.number = thing.number
        made.whole = thing.whole or (thing.pair and key in (1, "indices"))
        thing.elements[key] = made
    return thing.elements[key]


def item_at(thing: Thing, index: int) -> Value:
    """The item at an index, counted from either end."""
    parts = thing.parts
    if parts is None:
        return (element(thing, index),)
    found: list[Value] = []
    walk = parts if index >= 0 else list(reversed(parts))
    left = index if index >= 0 else -index - 1
    for item in walk:
        if item.starred:
            found.append(item.value)
        elif left == 0:
            return union(*found, item.value)
        else:
            left -= 1
    return union(*found) if found else (Thing(number=True),)


def slice_of(thing: Thing, start: int | None, stop: int | None) -> Value:
    """``thing[start:stop]`` of a list."""
    parts = list(thing.parts or ())
    if start is not None and start >= 0:
        parts = _drop(parts, start)
    elif start is not None:
        parts = _last(parts, -start)
    if stop is not None and stop < 0:
        parts = list(reversed(_drop(list(reversed(parts)), -stop)))
    elif stop is not None and start in (None, 0):
        parts = list(reversed(_last(list(reversed(parts)), stop)))
    return make(parts)


def _drop(parts: list[Item], count: int) -> list[Item]:
    while parts and count and not parts[0].starred:
        parts, count = parts[1:], count - 1
    return parts


def _last(parts: list[Item], count: int) -> list[Item]:
    tail: list[Item] = []
    for item in reversed(parts):
        if len(tail) == count:
            break
        tail.insert(0, item)
        if item.starred:
            break
    return tail


def unpack(value: Value, before: int, after: int | None) -> list[Value]:
    """The value of each target: `before` plain ones, then a starred one and `after` more, if any."""
    alternatives = [thing for thing in value if _fits(thing, before, after)] or list(value)
    columns: list[list[Value]] = [[] for _ in range(before + (0 if after is None else after + 1))]
    for thing in alternatives:
        for column, found in zip(columns, _unpack_one(thing, before, after), strict=True):
            column.append(found)
    if not columns:
        return []
    return [union(*column) if column else (Thing(number=True),) for column in columns]


def _fits(thing: Thing, before: int, after: int | None) -> bool:
    if thing.constant is None or isinstance(thing.constant, bool):
        return False
    parts = thing.parts
    if parts is None or any(item.starred for item in parts):
        return True
    return len(parts) == before if after is None else len(parts) >= before + after


def _unpack_one(thing: Thing, before: int, after: int | None) -> list[Value]:
    first = [item_at(thing, index) for index in range(before)]
    if after is None:
        return first
    last = [item_at(thing, -after + index) for index in range(after)]
    if thing.parts is None:
        rest = make([Item((element(thing, "rest"),), starred=True)])
    else:
        rest = slice_of(thing, before, -after if after else None)
    return [*first, rest, *last]


def zipped(values: Sequence[Value]) -> Value:
    """``zip(...)``: as many rows as the lists of known lengths have items, if those are equally long."""
    columns = [starred(value) for value in values]
    lengths = {len(column) for column in columns if not any(item.starred for item in column)}
    if len(lengths) != 1:
        return make([Item(make([Item(element_of(value)) for value in values]), starred=True)])
    (length,) = lengths
    parts = [
        [Item(element_of(value)) for _ in range(length)] if any(i.starred for i in column) else column
        for value, column in zip(values, columns, strict=True)
    ]
    return make([Item(make([Item(part[k].value) for part in parts])) for k in range(length)])


def concatenated(left: Value, right: Value) -> Value | None:
    """``left + right`` of lists, or None where neither is one."""
    if not any(thing.parts is not None for thing in (*left, *right)):
        return None
    return make(bounded([*starred(left), *starred(right)]))


def repeated(value: Value, count: Value) -> Value | None:
    """``[None] * n``, or None where it is no list."""
    lists = [thing for thing in value if thing.parts is not None]
    if not lists:
        return None
    times = count[0].constant if len(count) == 1 else None
    parts = lists[0].parts or []
    if isinstance(times, int) and times * len(parts) <= 64:
        return make(parts * times)
    return make([Item(item.value, starred=True) for item in parts])
