"""Callers of a class that gets one more output: all must stand in the file, and take the first one."""

from __future__ import annotations

import ast

from .place import Place
from .splices import CannotFix


def is_private(place: Place, owner: ast.ClassDef) -> bool:
    """True if no other file calls a class: its name says so, or it stands inside a function.

    One that stands in another class is called by that class's name, or by any object of it.
    """
    in_function = owner not in place.module.tree.body
    return "." not in place.path_of(owner) and (owner.name.startswith("_") or in_function)


def take_first_output(place: Place, owner: ast.ClassDef) -> None:
    """Change all that is done with the class outside of it; `CannotFix` where that is more than calls."""
    tree, text = place.module.tree, place.text
    inside = {id(node) for node in ast.walk(owner)}
    uses = {id(n): n for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id == owner.name}
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name() as name, attr="apply")) if id(name) in uses:
                del uses[id(name)]
                text.insert(text.end(node), "[0]")
            case ast.Assign(
                targets=[ast.Name(id=alias)], value=ast.Attribute(value=ast.Name() as name, attr="apply")
            ) if id(name) in uses:
                del uses[id(name)]
                step = text.indent(owner.body[-1])[len(text.indent(owner)) :]
                blank = text.indent(node)
                body = f"\n{blank}{step}return {owner.name}.apply(*inputs)[0]"
                text.replace(node, f"def {alias}(*inputs):{body}")
            case ast.Attribute(value=ast.Name() as name) if id(name) in uses and id(name) in inside:
                del uses[id(name)]
            case ast.Constant(value=str(said)) if said == owner.name:
                raise CannotFix(f"a text says `{owner.name}`, which may be how it is called")
    if uses:
        line = min(name.lineno for name in uses.values())
        raise CannotFix(f"`{owner.name}` is not only called, in line {line}")
