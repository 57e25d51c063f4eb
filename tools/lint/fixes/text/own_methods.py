"""Functions that only one class runs: another class with the same backward may save other values."""

from __future__ import annotations

import ast

from ...frontend.classes import FunctionClass, function_classes
from .place import Place
from .splices import CannotFix

_METHODS = ("forward", "setup_context", "backward", "vjp")


def check_own(place: Place, saver: ast.FunctionDef, backward: ast.FunctionDef) -> None:
    """Raise `CannotFix` where another class of the file runs one of these functions, and not both.

    One that inherits both is changed with this one.
    """
    if others := other_backwards(place, saver, backward):
        raise CannotFix(f"another `{others[0].name}` takes what `{saver.name}` saves")


def other_backwards(place: Place, saver: ast.FunctionDef, backward: ast.FunctionDef) -> list[ast.FunctionDef]:
    """The other functions of the file that take what a function saves.

    `CannotFix` where a class takes by this backward what another function saves.
    """
    found: dict[int, ast.FunctionDef] = {}
    for other in function_classes(place.module):
        if other.own.node.lineno == place.facts.cls.own.node.lineno or other.method("forward") is None:
            continue
        methods = {line: name for name in _METHODS for line in _lines(other, name, place)}
        if backward.lineno in methods and saver.lineno not in methods and saver.name in _METHODS:
            raise CannotFix(f"`{other.name}` has the same `{backward.name}`")
        if saver.lineno in methods:
            lines = [line for line, name in methods.items() if name in ("backward", "vjp")]
            found |= {line: place.function_at(line) for line in lines if line != backward.lineno}
    _check_calls(place, saver)
    _check_calls(place, backward)
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


def _check_calls(place: Place, function: ast.FunctionDef) -> None:
    """Raise `CannotFix` where the file calls a method by its class, or a helper in several places."""
    owner = place.owner(function)
    by = owner.name if owner is not None and function.name in _METHODS else None
    calls = [
        node
        for node in ast.walk(place.module.tree)
        if isinstance(node, ast.Call) and _names(node.func, function.name, by)
    ]
    if by is None and len(calls) > 1:
        raise CannotFix(f"`{function.name}` is called in several places")
    without_context = function.name == "forward" and place.facts.cls.method("setup_context") is not None
    if by is not None and calls and not without_context:
        raise CannotFix(f"`{ast.unparse(calls[0].func)}` is called in line {calls[0].lineno}")


def _names(called: ast.expr, name: str, owner: str | None) -> bool:
    """True if an expression may be that function; of an `owner`, where it says so."""
    match called:
        case ast.Name(id=found):
            return owner is None and found == name
        case ast.Attribute(value=value, attr=found):
            return found == name and (owner is None or ast.unparse(value) == owner)
    return False
