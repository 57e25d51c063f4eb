"""A saved tensor that the backward changes in place is copied first."""

from __future__ import annotations

import ast

from .fix import Fix
from .text.parameters import Parameters
from .text.place import Place, body_of
from .text.saved_call import find_saving
from .text.shared_saved import shared_saved
from .text.splices import CannotFix
from .text.taking import find_taking

CODES = ("PB304",)


def apply(place: Place) -> None:
    """Copy the tensor where the backward has taken it."""
    name = place.finding.value
    statement = _taken_attribute(place, name)
    if statement is not None:
        taken, attribute = ast.unparse(statement.targets[0]), ast.unparse(statement.value)
        if sum(ast.unparse(n) == attribute for n in ast.walk(place.backward) if isinstance(n, ast.expr)) > 1:
            raise CannotFix(f"`{attribute}` is read in several places")
        _check_alone(place, taken, attribute)
        place.text.after(statement, [f"{taken} = {taken}.clone()"])
        return
    saved = next((s for s in place.facts.saved if s.name == name and not s.on_context), None)
    if saved is None or saved.saved.path != place.module.source.path:
        raise CannotFix(f"`{name}` is not saved with `save_for_backward` in this file")
    saver = place.function_at(saved.saved.line)
    saving, taking = find_saving(saver, Parameters(saver, place).context), find_taking(place.backward)
    if saving is None or name not in saving.names or taking.place is None:
        raise CannotFix(f"`{name}` is not saved by its name")
    local = taking.local(saving.names.index(name))
    if local is None:
        raise CannotFix(f"the backward does not bind `{name}` to a name")
    _check_alone(place, local)
    place.text.after(taking.place, [f"{local} = {local}.clone()"])


def _check_alone(place: Place, *same: str) -> None:
    """Raise `CannotFix` where another saved value shares its memory: it would not see the change."""
    aliases = {name for pair in shared_saved(place) if same[0] in pair for name in pair} - set(same)
    if aliases:
        raise CannotFix(f"`{min(aliases)}` shares the memory of `{same[0]}`")


def _taken_attribute(place: Place, name: str) -> ast.Assign | None:
    """The statement ``local = ctx.name`` of the backward."""
    for statement in body_of(place.backward):
        match statement:
            case ast.Assign(targets=[ast.Name()], value=ast.Attribute(value=ast.Name(), attr=found)) if (
                found == name
            ):
                return statement
    return None


FIX = Fix(apply, True, "a copy is changed")
