"""An input or output that is an attribute of the context is saved with ``save_for_backward`` instead."""

from __future__ import annotations

import ast

from .fix import Fix
from .text.own_methods import check_own
from .text.parameters import Parameters
from .text.place import Place, body_of, names_in
from .text.reading import changed, is_handed_on
from .text.saved_call import Handover, find_saving
from .text.splices import CannotFix
from .text.taking import find_taking

CODES = ("PB306", "PB307")


def apply(place: Place) -> None:
    """Change the text for one attribute."""
    attribute = place.finding.value
    saver = place.function_at(place.finding.span.line)
    parameters = Parameters(saver, place)
    statement, name = _assignment(saver, parameters.context, attribute)
    if place.finding.code == "PB306" and not parameters.is_tensor(name):
        raise CannotFix(f"`{name}` may be no tensor")
    check_own(place, saver, place.backward)
    saving, taking = find_saving(saver, parameters.context), find_taking(place.backward)
    last = saving.statement.lineno if saving is not None else saver.body[-1].lineno
    after = [s for s in saver.body if s is not statement and statement.lineno < s.lineno < last]
    if any(name in changed(s) for s in after) or statement.lineno > last:
        raise CannotFix(f"`{name}` changes before it could be saved")
    _only_here(place, attribute, (saver, place.backward))
    for function, context in ((saver, parameters.context), (place.backward, taking.context)):
        if is_handed_on(function, context):
            raise CannotFix(f"`{context}` goes to another function, which may use `{attribute}`")
    if any(isinstance(use.ctx, ast.Load) for use in _uses(saver, parameters.context, attribute)):
        raise CannotFix(f"the forward reads `{attribute}` again")
    renamed = _renamed(place.backward, f"{taking.context}.{attribute}")
    first_use = min((n.lineno for n in _uses(place.backward, taking.context, attribute)), default=10**9)
    if taking.place is not None and first_use < taking.place.lineno:
        raise CannotFix(f"the backward uses `{attribute}` before it takes what is saved")
    taken = names_in(place.backward) - ({renamed[1]} if renamed else set())
    handover = Handover(place.text, saver, parameters.context, saving, taking, taken)
    called, binding = handover.add([name], called={name: renamed[1]} if renamed else {})
    place.text.remove(statement)
    local = called[name]
    for node in _uses(place.backward, taking.context, attribute):
        if renamed is None or node is not renamed[0].value:
            place.text.replace(node, local)
    if renamed is not None:
        place.text.remove(renamed[0])
    if binding and taking.place is not None:
        place.text.after(taking.place, binding)
    elif binding:
        place.text.before(body_of(place.backward)[0], binding)


def _assignment(saver: ast.FunctionDef, context: str, attribute: str) -> tuple[ast.Assign, str]:
    for statement in saver.body:
        match statement:
            case ast.Assign(
                targets=[ast.Attribute(value=ast.Name(id=owner), attr=found)], value=ast.Name(id=name)
            ) if owner == context and found == attribute:
                return statement, name
    raise CannotFix(f"no assignment of its own sets `{context}.{attribute}` to a name")


def _uses(function: ast.FunctionDef, context: str, attribute: str) -> list[ast.Attribute]:
    wanted = f"{context}.{attribute}"
    return [n for n in ast.walk(function) if isinstance(n, ast.Attribute) and ast.unparse(n) == wanted]


def _renamed(function: ast.FunctionDef, written: str) -> tuple[ast.Assign, str] | None:
    """The statement ``a = ctx.a`` of a backward, and the name."""
    for statement in body_of(function):
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Attribute() as value) if (
                ast.unparse(value) == written
            ):
                return statement, name
    return None


def _only_here(place: Place, attribute: str, functions: tuple[ast.FunctionDef, ...]) -> None:
    inside = {id(n) for function in functions for n in ast.walk(function)}
    for node in ast.walk(place.owner(functions[0]) or functions[0]):
        if isinstance(node, ast.Attribute) and node.attr == attribute and id(node) not in inside:
            raise CannotFix(f"another method uses `{attribute}`")
    for node in ast.walk(functions[1]):
        if isinstance(node, ast.Attribute) and node.attr == attribute and not isinstance(node.ctx, ast.Load):
            raise CannotFix(f"the backward sets `{attribute}`")


FIX = Fix(apply, True, "saved with `save_for_backward`")
