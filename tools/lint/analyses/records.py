"""Objects of named tuples and dataclasses: lists of values whose items have names."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from ..frontend.classes import method_of, resolve
from ..frontend.modules import Class, Dotted, Expression
from .values import Item, Thing, Value

_OWN_CONSTRUCTION = ("__init__", "__new__", "__post_init__")
_DECORATORS = {"dataclasses.dataclass", "flax.struct.dataclass", "chex.dataclass"}
_TUPLES = {"typing.NamedTuple", "typing_extensions.NamedTuple"}
_MADE = {"collections.namedtuple"}
REPLACES = frozenset({"dataclasses.replace", "copy.replace"})
_DEEPEST = 8


class Field(NamedTuple):
    """A field, and the expression of its default, where it has one."""

    name: str
    default: ast.expr | None


def fields_of(item: Class) -> tuple[Field, ...] | None:
    """The fields of a class that constructs its objects from them; None for any other class."""
    if any(method_of(item, name) is not None for name in _OWN_CONSTRUCTION):
        return None
    found = dict(_fields(item, 0))
    return tuple(Field(name, default) for name, default in found.items()) if found else None


def _fields(item: Class, depth: int) -> Iterator[tuple[str, ast.expr | None]]:
    bases = [resolve(base, item.module) for base in item.node.bases]
    is_tuple = any(isinstance(base, Dotted) and base.name in _TUPLES for base in bases)
    decorated = (one.func if isinstance(one, ast.Call) else one for one in item.node.decorator_list)
    names = {entity.name for one in decorated if isinstance(entity := resolve(one, item.module), Dotted)}
    if depth < _DEEPEST and not is_tuple:
        for base in bases:
            if isinstance(base, Class):
                yield from _fields(base, depth + 1)
            elif isinstance(base, Expression):
                yield from ((one.name, one.default) for one in made_fields(base.node, item) or ())
    if is_tuple or names & _DECORATORS:
        for statement in item.node.body:
            match statement:
                case ast.AnnAssign(target=ast.Name(id=name)) if "ClassVar" not in ast.unparse(
                    statement.annotation
                ):
                    yield name, statement.value


def made_fields(node: ast.expr, around: Class | Expression) -> tuple[Field, ...] | None:
    """The fields of ``namedtuple("Name", "a b")``; None for any other expression."""
    if not isinstance(node, ast.Call) or len(node.args) != 2:
        return None
    called = resolve(node.func, around.module)
    if not isinstance(called, Dotted) or called.name not in _MADE:
        return None
    match node.args[1]:
        case ast.Constant(value=str(text)):
            return tuple(Field(name, None) for name in text.replace(",", " ").split())
        case ast.Tuple(elts=items) | ast.List(elts=items):
            texts = [one.value for one in items if isinstance(one, ast.Constant)]
            return tuple(Field(text, None) for text in texts if isinstance(text, str))
    return None


def arranged(
    fields: tuple[Field, ...], items: list[Item], keywords: dict[str, Value], defaults: dict[str, Value]
) -> list[Item] | None:
    """The values of the fields, in their order; None where the arguments do not fit."""
    if len(items) > len(fields) and not any(item.starred for item in items):
        return None
    if any(item.starred for item in items):  # any number of them
        return None if keywords or len(items) != 1 else [Item(items[0].value) for _ in fields]
    made = []
    for place, field in enumerate(fields):
        if place < len(items):
            made.append(items[place])
        elif field.name in keywords or field.name in defaults:
            made.append(Item(keywords.get(field.name) or defaults[field.name]))
        else:
            return None
    return made


def replaced(thing: Thing, named: dict[str, Value]) -> Thing:
    """An object like another one, with other values in the fields that are named."""
    items = [
        Item(named.get(field, item.value), item.starred)
        for field, item in zip(thing.fields, thing.parts or (), strict=True)
    ]
    return Thing(parts=items, fields=thing.fields, entity=thing.entity)
