"""Attributes of the context that the forward reads again get a name first: ``ctx.kept = kept = {}``.

What the forward does with the attribute then stands there for the name, which can be computed again.
"""

from __future__ import annotations

import ast

from ..analyses.facts import Saving as Verdict
from ..analyses.facts import Use
from .text.parameters import Parameters
from .text.place import Place, names_in, unused
from .text.reading import is_handed_on

WRONG = (Verdict.INTERMEDIATE, Verdict.CONDITIONAL)


def apply(place: Place) -> None:
    """Name each such attribute that holds a captured intermediate, where nothing else can set it."""
    held = {
        (saved.saved.line, saved.attribute)
        for saved in place.facts.saved
        if saved.saving in WRONG
        and saved.use is Use.VALUE
        and saved.on_context
        and saved.saved.path == place.module.source.path
    }
    functions = {id(f): f for f in (place.function_at(line) for line, _ in held)}
    for saver in functions.values():
        context = Parameters(saver, place).context
        if is_handed_on(saver, context):
            continue
        taken = names_in(saver)
        for attribute in sorted({name for _, name in held}):
            nodes = [n for n in ast.walk(saver) if _is(n, context, attribute)]
            stored = [t for s in ast.walk(saver) if (t := _set_by(s, context, attribute)) is not None]
            loads = [n for n in nodes if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Load)]
            if not loads or len(loads) + len(stored) != len(nodes):
                continue
            name = unused(attribute, taken)
            taken.add(name)
            for node in loads:
                place.text.replace(node, name)
            for target in stored:
                place.text.insert(place.text.end(target), f" = {name}")


def _is(node: ast.AST, context: str, attribute: str) -> bool:
    match node:
        case ast.Attribute(value=ast.Name(id=owner), attr=name):
            return owner == context and name == attribute
    return False


def _set_by(statement: ast.AST, context: str, attribute: str) -> ast.expr | None:
    """``ctx.name`` of ``ctx.name = value``."""
    match statement:
        case ast.Assign(targets=[target]) if _is(target, context, attribute):
            return target
    return None
