"""Saved outputs that follow smoothly from what is computed again anyway.

The history of a saved output is the gradient that its own class gives it. Where that is a surrogate, or in
coordinates of a tangent space, the derivative of the backward by the output is not that of its value.
Computed again, the output has the derivative of its value in either case.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from ...analyses.facts import Saved, Saving, Use
from .parameters import Parameters
from .place import Place, body_of
from .reading import changed
from .saved_call import Saving as SaveCall
from .smooth import is_smooth
from .taking import Taking


def saved_outputs(
    place: Place, saver: ast.FunctionDef, saving: SaveCall | None, taking: Taking
) -> list[Saved]:
    """The outputs that are saved by name in one place, unchanged until the end, and enter a gradient."""
    if saving is None or saving.others or taking.others or place.facts.forward.writes:
        return []
    later = {n for s in ast.walk(saver) if _is_later(s, saving.statement) for n in changed(s)}
    return [
        saved
        for saved in place.facts.saved
        if saved.saving is Saving.OUTPUT
        and saved.use is Use.VALUE
        and not (saved.on_context or saved.marked)
        and saved.saved.path == place.module.source.path
        and saved.name in saving.names
        and saved.name not in later
        and taking.unpacked is not None
        and taking.local(saving.names.index(saved.name)) is not None
    ]


def _is_later(node: ast.AST, statement: ast.stmt) -> bool:
    return isinstance(node, ast.stmt) and node.lineno > (statement.end_lineno or statement.lineno)


def follow_smoothly(statements: Iterable[ast.stmt], known: Iterable[ast.stmt], place: Place) -> bool:
    """True if statements compute smooth functions of what `known` ones compute."""
    given = {ast.unparse(s.value) for s in known if isinstance(s, ast.Assign)}
    return all(
        isinstance(s, ast.Assign) and is_smooth(s.value, place.module, given)
        for s in statements
        if not any(s is one for one in known)
    )


def forward_again(
    place: Place, parameters: Parameters, known: Iterable[ast.stmt]
) -> tuple[str, list[str]] | None:
    """``Scaled.forward`` and its arguments by their names, where ``setup_context`` saves and it is smooth."""
    method = place.facts.forward.method
    owner = place.owner(place.function_at(method.node.lineno))
    arguments = method.node.args
    names = [a.arg for a in method.parameters]
    plain = not (arguments.vararg or arguments.kwonlyargs or arguments.kwarg)
    static = "staticmethod" in method.decorators and len(method.decorators) == 1
    here = method.owner.module.source.path == place.module.source.path
    given = parameters.inputs
    if not (here and owner is not None and plain and static and len(given) == len(names)):
        return None
    if not set(names) <= place.facts.differentiable:
        return None
    *computed, last = body_of(method.node)
    if not isinstance(last, ast.Return) or last.value is None or not is_smooth(last.value, place.module):
        return None
    return (f"{place.path_of(owner)}.forward", given) if follow_smoothly(computed, known, place) else None
