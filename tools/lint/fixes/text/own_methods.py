"""Functions that only one class runs: another class with the same backward may save other values."""

from __future__ import annotations

import ast

from ...frontend.classes import FunctionClass, function_classes
from .elsewhere import check_elsewhere
from .place import Place
from .splices import CannotFix

_METHODS = ("forward", "setup_context", "backward", "vjp")
_BACKWARDS = ("backward", "vjp")


def check_own(place: Place, saver: ast.FunctionDef, backward: ast.FunctionDef) -> None:
    """Raise `CannotFix` where another class runs one of these functions, and not both.

    One that inherits both is changed with this one.
    """
    if others := other_backwards(place, saver, backward):
        raise CannotFix(f"another `{others[0].name}` takes what `{saver.name}` saves")


def other_backwards(place: Place, saver: ast.FunctionDef, backward: ast.FunctionDef) -> list[ast.FunctionDef]:
    """The other functions of the file that take what a function saves.

    `CannotFix` where a class takes by this backward what another function saves, and where a class takes
    what this one saves by a backward that is not in the file.
    """
    found: dict[int, ast.FunctionDef] = {}
    for other in function_classes(place.module):
        if other.own.node.lineno == place.facts.cls.own.node.lineno or other.method("forward") is None:
            continue
        methods = {line: name for name in _METHODS for line in _lines(other, name, place)}
        if backward.lineno in methods and saver.lineno not in methods and saver.name in _METHODS:
            raise CannotFix(f"`{other.name}` has the same `{backward.name}`")
        if saver.lineno in methods:
            lines = [line for line, name in methods.items() if name in _BACKWARDS]
            if not lines:
                raise CannotFix(f"`{other.name}` takes what `{saver.name}` saves, where lint can't read it")
            found |= {line: place.function_at(line) for line in lines if line != backward.lineno}
    for function in (saver, backward):
        _check_uses(place, function)
        check_elsewhere(place, function, (saver, backward))
    return [*found.values()]


def _lines(cls: FunctionClass, name: str, place: Place) -> list[int]:
    """The lines where the methods of the file begin that a class runs by a name, and those they extend."""
    found = []
    method = cls.method(name)
    while method is not None:
        if method.owner.module.source.path == place.module.source.path:
            found.append(method.node.lineno)
        extends = any(isinstance(n, ast.Name) and n.id == "super" for n in ast.walk(method.node))
        method = cls.method(name, after=method.owner) if extends else None
    return found


def _check_uses(place: Place, function: ast.FunctionDef) -> None:
    """Raise `CannotFix` where the file uses a method by its class, or a helper in several places."""
    owner = place.owner(function)
    by = owner.name if owner is not None and function.name in _METHODS else None
    as_methods = {id(node) for node in _as_methods(place)} if owner is None else set()
    uses = [
        node
        for node in ast.walk(place.module.tree)
        if _names(node, function.name, by) and id(node) not in as_methods
    ]
    if by is None and len(uses) > _own_uses(place, function):
        raise CannotFix(f"`{function.name}` is called in several places")
    without_context = function.name == "forward" and place.facts.cls.method("setup_context") is not None
    if by is not None and uses and not without_context:
        line = min(getattr(node, "lineno", 0) for node in uses)
        raise CannotFix(f"`{by}.{function.name}` is called in line {line}")


def _own_uses(place: Place, function: ast.FunctionDef) -> int:
    """The number of places where the class itself uses a function: where it calls it, or registers it."""
    cls = place.facts.cls
    is_method = any(function.lineno in _lines(cls, name, place) for name in _METHODS)
    registered = all(one.node is not cls.own.node for one in place.module.classes())
    return 1 if registered or not is_method else 0


def _as_methods(place: Place) -> list[ast.expr]:
    """``keep`` of ``forward = staticmethod(keep)``, in each class that lint reads."""
    found: list[ast.expr] = []
    for cls in function_classes(place.module):
        for name in _METHODS:
            match cls.own.values.get(name):
                case ast.Call(func=ast.Name(id="staticmethod"), args=[ast.Name() as function]):
                    found.append(function)
    return found


def _names(node: ast.AST, name: str, owner: str | None) -> bool:
    """True if an expression may be that function; of an `owner`, where it says so."""
    match node:
        case ast.Name(id=found, ctx=ast.Load()):
            return owner is None and found == name
        case ast.Attribute(value=value, attr=found, ctx=ast.Load()):
            return found == name and (owner is None or ast.unparse(value) == owner)
    return False
